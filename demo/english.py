# ruff: noqa: E501  # a post or a row of a table stays on its line
"""The English half of the demo site. Town, people and program are invented."""

from __future__ import annotations

from demo.content import Article, Chapter, Language, Thread, blocks, rows, table

_WORDS = {
    "site": "Lantern Bay Online",
    "tagline": "News, handbooks and talk from the harbour",
    "skip": "Skip to main content",
    "search": "Search this site",
    "login": "Log in",
    "register": "Create an account",
    "subscribe": "Subscribe",
    "cookies": "We and our 214 partners store cookies on your device to count visits, to remember your choices and to show adverts that "
    "suit you. You can change your mind at any time in the privacy settings.",
    "accept": "Accept all",
    "settings": "Manage settings",
    "policy": "Read our cookie policy",
    "home": "Home",
    "news": "News",
    "handbook": "Tidewire handbook",
    "forum": "Quay Talk",
    "popular": "Most read this week",
    "tag-cloud": "Topics",
    "related": "You may also like",
    "share": "Share this story",
    "comments": "Comments",
    "comment-rules": "Be kind. Comments are read by an editor before they appear. Links are removed.",
    "your-name": "Your name",
    "your-mail": "E-mail (will not be shown)",
    "post-comment": "Post comment",
    "reply": "Reply",
    "newsletter": "The harbour letter",
    "newsletter-text": "The week on the water in your inbox every Friday at six. No spam, one click to leave.",
    "sign-up": "Sign me up",
    "advert": "Advertisement",
    "by": "By",
    "published": "Published",
    "weather": "At the pier now",
    "archive": "Archive",
    "tags": "Filed under",
    "about-author": "writes about the harbour and its people. Tips are welcome at the front desk.",
    "previous": "Previous",
    "next": "Next",
    "rights": "All rights reserved.",
    "contents": "On this page",
    "background": "Background",
    "version": "Version",
    "edit": "Edit this page",
    "helpful": "Was this page helpful?",
    "yes": "Yes",
    "no": "No",
    "note": "Note",
    "joined": "Joined",
    "posts": "Posts",
    "like": "Like",
    "report": "Report",
    "quote": "Quote",
    "wrote": "wrote:",
    "watch": "Watch this thread",
    "online": "Members online now",
    "similar": "Similar threads",
    "quick-reply": "You must log in or register to reply here.",
    "jump": "Jump to board",
    "replies": "Replies",
    "views": "Views",
    "last-post": "Last post",
    "thread": "Thread",
    "read-more": "Read more",
    "page": "Page",
    "months": "January February March April May June July August September October November December",
    "caption": "Seen from {place} in {month}. Photo: {person}",
    "topics": "harbour ferry fishing schools weather lighthouse markets buses history music gardens boats tides oysters council repairs",
    "welcome": "Lantern Bay is a small harbour town with a newspaper, a handbook for its tide program and a forum. "
    "Here is what is new in all three of them.",
}

_MENU = tuple(
    (head, tuple(rest.split(", ")))
    for head, rest in (row.split(": ") for row in rows("""
        News: Front page, Harbour, Town hall, Schools, Weather, Obituaries
        Sport: Rowing, Football, Sailing results, Fixtures
        Culture: Concerts, Books, Film club, Museum of nets
        Handbook: Install, First steps, Commands, Glossary
        Forum: Engines, Rigging, Small talk, Flea market
        Services: Tide tables, Ferry times, Moorings, Parking, Lost property
        Jobs: Offers, Apprenticeships, Post a vacancy
        About us: Editors, Contact, Press, Support our work
    """))
)  # fmt: skip

_LEGAL = blocks("""
    Lantern Bay Online is published by the Lantern Bay Printing Cooperative, 4 Ropewalk, registered in the harbour court under number
    1187. Nothing on these pages may be copied, sent on or stored in a retrieval system without the written leave of the publisher.

    Tide tables and weather reports are given without warranty and are not to be used for navigation. Opinions in the forum are those of
    their authors. For complaints about accuracy write to the readers' editor, who answers within ten working days.
""")

_ADVERTS = tuple(
    (head, text)
    for head, text in (row.split(": ") for row in rows("""
        Coil & Cleat: Ropes by the metre, spliced while you wait. Ten per cent off all spring.
        Marrow's Bakery: Sourdough before the first ferry. Open from half past four.
        Northlight Insurance: A storm costs more than a policy. Get a quote in two minutes.
        The Drowned Bell: Live music every Thursday. Two pies for the price of one.
        Swift Outboards: Trade in your old engine this month and save up to 400.
        Gull Cottage Rooms: Sea view, warm beds, bicycles free. Book direct for the best price.
    """))
)  # fmt: skip

_SLOTS = {
    "place": rows("""
        the old quay
        Cooper's Steps
        the fish market
        the north pier
        Saltpan Road
        the lighthouse
        the ferry hall
        Mill Creek
        the net lofts
        the lower harbour
    """),
    "person": rows("""
        Ada Thorne
        Jonas Pell
        Mirelle Cask
        Tobias Wren
        Ines Varga
        Harold Quill
        Petra Lund
        Samuel Oakes
        Nadia Ferris
        Edwin Marsh
    """),
    "boat": ("the Patience", "the Grey Heron", "the Second Wind", "the Morning Star", "the Little Tern", "the Copper Kettle"),
    "month": tuple(_WORDS["months"].split()),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "n": tuple(str(n) for n in (3, 4, 6, 7, 9, 11, 12, 14, 18, 21, 26, 30, 35, 40)),
    "sum": ("1,200", "2,750", "3,900", "5,400", "8,100", "12,500", "18,300", "24,000"),
}

_NEWS = rows("""
    {person}, who has worked at {place} for {n} years, said that nobody had expected so many people on a {weekday}.
    The council set aside {sum} for the work and spent all but a few hundred of it.
    Visitors who came by way of {place} were asked to leave their cars on the hill and walk the last part.
    Not everyone is pleased: two shopkeepers near {place} wrote to the council in {month} to ask for shorter hours.
    "We did it with borrowed tools and {n} volunteers," {person} told this newspaper.
    The plans were drawn up in {month} and changed three times before anyone lifted a hammer.
    A second meeting is planned for the last {weekday} of {month}, in the hall beside {place}.
    Older residents remember a time when {place} was the busiest corner of the bay.
    The crew of {boat} offered to help and was seen hauling planks until it was dark.
    Figures from the harbour office show {n} arrivals in {month}, a third more than in the year before.
    For {person} it is a matter of patience, since the sea gives its answer in winter and not before.
    Schools along {place} closed an hour early so that the children could watch.
    Whether the money will last until {month} is a question that the treasurer would not answer.
    The first to cross was {boat}, with {n} people and a piano on board.
    Work at {place} is to go on for another {n} weeks, weather permitting.
    A report that the engineers handed over in {month} lists {n} places that still need care.
    {person} keeps a notebook in which every high water of the last {n} years is written down.
    In the evening the lamps along {place} were lit for the first time since the repairs.
    The shop at {place} sold out of lemonade before noon and sent a boy to the mainland for more.
    Nobody was hurt, and the damage, put at {sum}, is covered by the town's own fund.
    Behind the decision stands a vote of {n} to two, taken late on a {weekday} night.
    Letters to the editor have been many; most of them praise the quiet manner in which it was done.
    The harbour master asks owners to move their boats away from {place} before {weekday} morning.
    If the trial goes well, {place} will follow in {month}.
    Copies of the plan hang in the window of the library and can be read there until {month}.
    {boat} was built in the yard behind {place} and has carried sand, apples and once a bear.
    The sum of {sum} came from a raffle, a concert and a gift that no one has put a name to.
    Down at {place} the talk is of little else, and the barber has taken to charging for opinions.
    By {month} the last of the {n} posts had been driven into the mud.
    Asked for a forecast, {person} looked at the sky for a while and spoke of something else.
    The museum lent {n} photographs, which show {place} as it was before the great flood.
    Two engineers from the mainland will measure the ground near {place} again in {month}.
""")

_FORUM = rows("""
    I had the same trouble on {boat} and it turned out to be a loose earth strap.
    Check the impeller first, it takes ten minutes and costs next to nothing.
    Mine has run for {n} seasons now without a drop of oil where it should not be.
    You can get the part at the chandler near {place}, ask for {person}.
    I would not trust a used one unless you can see it run under load.
    Photos would help, preferably with something in them to show the size.
    Take it apart slowly and lay the pieces on a sheet in the order they came off.
    The manual says {n} newton metres, but with that thread I would stop well before.
    Salt is the culprit nine times out of ten.
    We tried that in {month} and went back to the old way after a week.
    Do not use steel there, it will eat the aluminium within a year.
    If you are near {place} on {weekday} I can bring my gauge and have a look.
    The quick test is to pour fresh water over it and see whether it hisses.
    I paid {sum} for the whole job, which was too much, but it was done before the race.
    There is a trick to it: warm the ring with a hair dryer and it slides on by itself.
    Soak it in vinegar overnight and brush it with brass, never with steel.
    Somebody in the rowing club had {n} of these lying about, try them.
    The newer model has a different bolt pattern, so measure before you order.
    Ours leaked as well until we turned the gasket the other way round.
    For the record, the cheap sealant held for two winters and then let go all at once.
    I keep a log of every hour it runs and would advise anyone to do so.
    {person} fixed mine with a piece of bicycle tube and it is still there.
    That noise is almost always the bearing and almost never what the yard says it is.
    Before you spend money, swap the two leads and see if the fault moves with them.
""")

_HANDBOOK = rows("""
    The first version had a table of its own in its source, which is why {month} of that year is still right in every copy.
    A reading every {n} seconds is enough; more only fills the disk.
    Users at {place} report that the gauge drifts by a finger's width in a year, so set it anew each {month}.
    If two programs ask at once, the second waits for {n} seconds and then says so.
    The value is kept as a whole number of millimetres, and no rounding takes place before it is shown.
    Nothing is sent anywhere: the program opens no connection unless you ask it to fetch.
    On a machine without a clock of its own, set the time before the program starts and not after.
    The limit of {n} was chosen by trial and can be raised, at the price of a slower start.
    Old files are read as before, and a file that is damaged is put aside and not deleted.
    In a test with {n} years of measurements from {place}, nineteen of twenty turns were off by less than two minutes.
    What happens on the {n}th day of a month without one is described in the chapter on tables.
    Write to {person} if your harbour is missing; a year of readings is enough to add it.
    The order of the columns is fixed, their width is not, so scripts should split at white space.
    Every message has a number by which it can be found in this handbook.
    When in doubt, the program does nothing and says why.
""")

_COMMENTS = rows("""
    My grandmother sold eels on those steps. Good to see it looked after.
    Lovely piece, but you forgot the volunteers from the rowing club.
    And who pays for it next year? Nobody ever asks that.
    I was there with the children and we had the best day of the summer.
    The timetable in the waiting room is still the old one, by the way.
    Please print more photographs of the boats.
    A sensible decision for once. It will not last.
    Does anyone know whether dogs are allowed?
    I have lived here for forty years and never knew this.
    Could you say where the money came from in more detail?
""")

_ARTICLES = (
    Article(
        "ferry-returns",
        "The ferry returns to the old quay",
        blocks("""
            After eleven years of detours by way of the container port, the small white ferry ties up at the old quay again. On its first
            morning it carried two hundred and six passengers, nine bicycles and a wedding cake that arrived in one piece.

            The quay had been closed since a surveyor put a finger through one of its oak piles. Rebuilding it took three winters,
            because the mud beneath gives way in summer and only stands still when the nights are cold. What can be seen today is a deck
            of larch on piles of steel, with the old bollards set back in their old places.

            Crossings start at a quarter past six and run every forty minutes. Those who hold a yearly pass for the bus may use it on the
            ferry as well, an arrangement that both companies had called impossible as late as last spring.
        """),
        "What changes for commuters",
        "A ferry is a bridge that you may sleep on, and I have missed it.",
        ("ferry", "harbour", "repairs"),
        rows("""
            The first boat leaves the old quay at 6.15, the last one at 23.35.
            Bicycles travel free outside the morning peak.
            Tickets are sold on board; the machine in the hall takes coins only.
            In fog the boats wait, and the bus takes over after thirty minutes.
        """),
    ),
    Article(
        "reading-room",
        "Library opens a reading room above the fish market",
        blocks("""
            Where nets were once hung to dry there are now forty desks, a stove and eleven thousand books. The library's new reading room
            sits on the upper floor of the fish market, and on warm days a reader cannot forget what is sold below.

            The librarian, who carried many of the boxes up the stairs, chose the books for people who wait: for a boat, for a tide, for
            a buyer. There are sea stories and grammars, but also the complete service manuals of every engine sold in the bay since the war.

            Membership is free for those who live or work in the town. Fishermen may borrow for as long as a voyage lasts, and the
            rule that books must come back dry has been struck out after a long debate.
        """),
        "A floor with a history",
        "Nobody has to be quiet here. The gulls are not quiet either.",
        ("books", "markets", "history"),
        (),
        table("""
            Day | Reading room | Lending desk
            Monday | closed | closed
            Tuesday to Friday | 7 to 19 | 9 to 17
            Saturday | 7 to 14 |
            Sunday | 12 to 18 | closed
        """),
    ),
    Article(
        "sea-wall",
        "Storm puts the new sea wall to the test",
        blocks("""
            The storm that crossed the bay in the night to Tuesday was the strongest since records began, and the new sea wall held. Waves
            broke over its crown for five hours. Behind it the cellars of Saltpan Road stayed dry, for the first time that anyone can remember.

            The wall is not straight but bent like an elbow, so that a wave which runs along it meets itself coming back. Models of
            plaster and sawdust were tried in the school's swimming pool until the shape was found. Engineers who came to see the result
            left with wet shoes and full notebooks.

            There was damage all the same. The roof of the rowing club lies in the park, three beach huts have gone to sea, and the
            benches on the promenade have been turned around as if to look at the town.
        """),
        "Five hours of high water",
        "I heard the sea knock, and for once it was not let in.",
        ("weather", "repairs", "council"),
        (),
        table("""
            Place | Highest water | Time
            North pier | 4.12 m | 02.40
            Lower harbour | 3.87 m | 02.55
            Mill Creek | 3.87 m | 03.10
        """),
    ),
    Article(
        "oysters",
        "Oyster growers count a better year",
        blocks("""
            Cold water and a long autumn have done the oysters good. The seven growers of the bay landed more than at any time since
            the sickness of eight years ago, and for the first time in as long they are hiring.

            What helped most may have been a change of habit. The baskets now hang from lines instead of lying on the mud, where crabs
            and slugs came at them. They must be turned by hand every second week, a job for which the growers take anyone with
            boots and a strong back.

            Prices have fallen a little, which the market women call a blessing and the growers call a pity. Both sides expect
            them to climb before the holidays, when the mainland remembers that it likes oysters.
        """),
        "Turned by hand",
        "An oyster does nothing all day and still it can go wrong.",
        ("oysters", "fishing", "markets"),
        rows("""
            Seven growers, one of them new
            Baskets on lines instead of on the mud
            Twelve seasonal jobs from September on
        """),
    ),
    Article(
        "night-bus",
        "The night bus gets a third route",
        blocks("""
            From the first of the month a third night bus will go up the hill. Line N3 starts at the ferry hall, passes the hospital and
            the brickworks and turns at the water tower, where until now the last bus left before the theatre was out.

            The route was drawn by those who need it. For six weeks cards lay out in bakeries and bars on which night
            workers wrote down where they stood waiting and for how long. Nurses filled in most of them, then bakers, then musicians.

            A ride costs the same as by day. Drivers may stop between two stops when it is safe and somebody asks, a rule the
            company has borrowed from the mountain lines, where it has been in use for decades.
        """),
        "Drawn by those who wait",
        "At three in the morning a bus is worth more than a mayor.",
        ("buses", "council", "schools"),
        rows("""
            N1: ferry hall, market, lower harbour
            N2: ferry hall, Mill Creek, stadium
            N3: ferry hall, hospital, brickworks, water tower
        """),
    ),
    Article(
        "lighthouse-band",
        "School band plays the lighthouse awake",
        blocks("""
            One hundred and thirty steps lead up the lighthouse, and on each of them stood a child with an instrument. The school band
            had practised for a year, at first on the stairs of the gymnasium, to play a piece in which each note climbs one step.

            The idea came from the keeper's daughter, who plays the horn and knew that the tower hums when the wind is in the west. The piece
            is written so that the hum is part of it. On the evening itself the air stood still, and the audience on the rocks
            hummed in its place.

            Recordings are to be had at the school office for the price of a trumpet mouthpiece, which is also what the money is for.
        """),
        "A tower that hums",
        "You cannot hear the top from the bottom, so we listened with our feet.",
        ("music", "schools", "lighthouse"),
    ),
    Article(
        "harbour-clock",
        "A clockmaker mends the harbour clock",
        blocks("""
            The clock on the harbour office had stood at ten to four for so long that the town used it as a name: a person who was
            hopelessly late came at ten to four. Since Sunday it goes again, and it goes right.

            A retired clockmaker from the hill did the work for nothing but lunch. She found a swallow's nest in the striking train, a
            spoon from the year the tower was built, and a wheel that somebody had filed by hand to replace a better one.

            The bell has been given back its voice too, though a felt pad keeps it down between ten at night and six. The hotel asked
            for that. The fishermen, who leave at three, asked for the opposite and were outvoted.
        """),
        "A spoon in the works",
        "It was never broken. It was only waiting for someone to ask.",
        ("history", "repairs", "harbour"),
    ),
)  # fmt: skip

_CHAPTERS = (
    Chapter("install", "Install", (
        ("p", "Tidewire is a small program that reads tide tables, warns before high water and keeps a log of what the gauge on your "
              "pier says. It runs on any machine with four megabytes to spare and has no moving parts but your own."),
        ("h2", "From a package"),
        ("p", "The package is named `tidewire`. It brings the tables of the current year for all harbours of the bay."),
        ("code-console", "$ tidewire --version\ntidewire 3.2\n$ tidewire fetch lantern-bay\nfetched 365 days, 1411 tides"),
        ("h2", "From source"),
        ("p", "You need a C compiler and the header files of the clock library. Unpack the archive, go into its folder and build."),
        ("code-bash", "./configure --with-moon\nmake\nmake check   # takes one tide, or use FAST=1\nsudo make install"),
        ("note", "Without `--with-moon` the program falls back to the sun, which gives about a third of the tide."),
        ("h2", "Removing it"),
        ("p", "Delete the folder `.tidewire` in your home folder. The log of your gauge is kept in `gauge.log` until you delete "
              "that as well."),
    )),
    Chapter("first-steps", "First steps", (
        ("p", "This page takes you from an empty screen to an alarm clock that knows the sea. It needs about ten minutes and no knowledge "
              "of astronomy."),
        ("ol", "Choose a harbour with `tidewire use NAME`.\nAsk for today's tides with `tidewire today`.\nSet a warning with "
               "`tidewire warn 3.5m`.\n- Warnings go to the screen.\n- Or by post: see the chapter on alerts.\n"
               "Leave the program running."),
        ("h2", "What the screen says"),
        ("p", "Each line is one turn of the tide: the time, the height above the chart's zero, and a letter that is `H` for high water "
              "and `L` for low."),
        ("code-text", "02:40  4.12 m  H\n08:55  0.61 m  L\n15:02  3.95 m  H\n21:20  0.74 m  L"),
        ("p", "Heights are rounded up at high water and down at low, so that a mistake of the last digit makes you careful and not wet."),
        ("h2", "Where to go from here"),
        ("ul", "Read how to write a configuration file.\nLearn all commands.\n- Those that only read.\n- Those that write.\n"
               "Look up words in the glossary."),
    )),
    Chapter("configuration", "Configuration", (
        ("p", "Settings live in one file, `tidewire.toml`. The program reads it once when it starts, and again when it gets the signal "
              "`HUP`. Unknown names are an error, so a misspelt setting does not go unnoticed for a year."),
        ("code-toml", 'harbour = "lantern-bay"\nunit = "m"\n\n[warn]\nabove = 3.5\nbefore = "45min"\n\n[gauge]\nport = "/dev/ttyS1"'),
        ("h2", "All settings"),
        ("table", "Group | Name | Meaning | Default\ngeneral | harbour | whose table to use | none\n | unit | m, ft or fathom | m\n"
                  "warn | above | height that is worth a warning | 4.0\n | before | how long ahead | 30min\n | quiet | hours without bell |\n"
                  "gauge | port | where the gauge is plugged in | none"),
        ("h2", "Order of sources"),
        ("p", "What is given on the command line wins over the environment, which wins over the file. `tidewire settings` shows each value "
              "together with the place it came from."),
        ("note", "Fathoms are rounded to a quarter. Do not moor by them."),
    )),
    Chapter("commands", "Commands", (
        ("p", "Every command has a short help, `--help`, and gives its answer as JSON where `--json` is set. Commands that only read can be "
              "run as often as you like; the others say what they are about to do and ask."),
        ("h2", "Reading"),
        ("dl", "tidewire today: The turns of the tide from midnight to midnight.\ntidewire next: The next turn and how many minutes are left."
               "\ntidewire range: Difference between the last high and the last low water.\ntidewire log: What the gauge has measured."),
        ("h2", "Writing"),
        ("dl", "tidewire use: Sets the harbour.\ntidewire warn: Sets or clears a warning.\ntidewire fetch: Gets the tables of another year."),
        ("h2", "Exit codes"),
        ("p", "Zero stands for success, one for a question that has no answer (a harbour without tides), two for a mistake in the command."),
        ("code-python", "import json, subprocess\n\nanswer = subprocess.run([\"tidewire\", \"next\", \"--json\"], capture_output=True)\n"
                        "turn = json.loads(answer.stdout)\nprint(turn[\"height\"], \"m in\", turn[\"minutes\"], \"minutes\")"),
    )),
    Chapter("tables", "Tide tables", (
        ("p", "A table is a list of turns that somebody has computed for one gauge and one year. Tidewire computes nothing by itself: it "
              "interpolates between turns with half a cosine, which is good to a hand's breadth in a quiet bay and poor in a narrow creek."),
        ("h2", "File format"),
        ("p", "Tables are plain text, one turn per line, time in the harbour's winter time throughout the year. Lines that start with "
              "a hash are remarks and kept."),
        ("code-text", "# lantern bay, north pier\n2019-03-01T02:40 H 4.12\n2019-03-01T08:55 L 0.61"),
        ("h2", "Secondary harbours"),
        ("p", "Small places have no table of their own but a pair of corrections to a larger one. Give them in a file that names the "
              "reference harbour."),
        ("table", "Harbour | Reference | Time | Height\nMill Creek | north pier | +15 min | -0.25 m\nSaltpan | north pier | +4 min |\n"
                  "Outer reef | | -22 min | +0.10 m"),
        ("note", "Corrections hold for calm weather. A week of west wind can add half a metre."),
    )),
    Chapter("alerts", "Alerts", (
        ("p", "An alert is a height, a lead time and a way to tell you. There can be as many as you like; two that fall into the same "
              "quarter of an hour are told as one."),
        ("h2", "Ways to tell"),
        ("ul", "The bell of the terminal\nA line in a file\nA command that you name\n- It gets the height as its first word.\n"
               "- It gets the minutes left as its second.\n- It has ten seconds."),
        ("h2", "A command of your own"),
        ("p", "The program waits for your command to end and writes down what it said. A command that fails is tried again after "
              "a minute, and then no more."),
        ("code-bash", "#!/bin/sh\n# lamp: turns on the red lamp on the pier\nprintf 'high water %s in %s min\\n' \"$1\" \"$2\" > /dev/lamp0"),
        ("h2", "Quiet hours"),
        ("p", "Between the two times in `quiet` no bell is rung. Alerts above the height in `danger` ignore quiet hours, as they should."),
    )),
    Chapter("troubleshooting", "Troubleshooting", (
        ("p", "Most trouble comes from clocks. Before you read on, see that your machine knows what time it is, and in which zone."),
        ("h2", "The tide is an hour off"),
        ("p", "Tables are in winter time. If the shift appears in summer only, the setting `zone` is missing; if it is there all year, it is "
              "set twice, once by you and once by the system."),
        ("h2", "The gauge says nothing"),
        ("ol", "Look whether its lamp blinks.\nRead the port by hand.\n- You should see numbers.\n- Letters mean a wrong speed.\n"
               "Clean the float. Barnacles are heavier than one would think."),
        ("code-console", "$ tidewire gauge --raw\n3.871\n3.874\n3.880"),
        ("h2", "Error: moon not found"),
        ("p", "The program was built without `--with-moon`. Build it again, or take the package."),
    )),
    Chapter("glossary", "Glossary", (
        ("p", "Words that sailors use and that this handbook uses as if everyone knew them. Where two words mean the same, the handbook uses "
              "the shorter one."),
        ("dl", "Chart's zero: The level that heights are counted from; the sea hardly ever falls below it.\n"
               "Gauge: A float in a pipe, with a wire to your machine.\nNeap: A tide with little range, a week after a spring tide.\n"
               "Range: The difference between a high water and the low water that follows.\n"
               "Spring: A tide with much range, at new and full moon; no matter of seasons.\nStand: The minutes in which nothing moves.\n"
               "Turn: The moment at which the tide changes its mind."),
        ("h2", "Letters"),
        ("p", "In tables and on the screen `H` stands for high water, `L` for low water, and `S` for a stand that lasts for longer than "
              "twenty minutes."),
    )),
)  # fmt: skip

_THREADS = (
    Thread("outboard-smokes", "Outboard smokes blue after winter", "Engines", rows("""
        Took the cover off last weekend after five months in the shed. It starts on the second pull, but there is blue smoke for the first ten minutes and the plug comes out black. Is that the rings or did I just use too much fogging oil?
        Sounds like the fogging oil to me. Run it hard for half an hour with a fresh plug and look again before you take anything apart.
        Update from me: half an hour at three quarter throttle and the smoke is gone. The plug is the colour of milk coffee now. Thank you all, you saved me a head gasket.
    """)),
    Thread("splice-or-knot", "Splice or knot for a mooring line?", "Rigging", rows("""
        My neighbour says a bowline takes away nearly half of the strength and that only fools tie up with knots. The man at the chandler says the rope outlasts the boat either way. Who is right?
        Your neighbour is right about the number and wrong about the fools. A line that is twice as strong as it must be can afford a knot.
        I splice the end that stays on the boat and knot the end that goes ashore, since I can never tell how far away the ring will be.
    """)),
    Thread("teak-oil", "Teak oil: yes, no, never?", "Small talk", rows("""
        We bought a boat with grey decks and half a drum of teak oil in the locker. Half of the pier says to oil it twice a year, the other half crosses the street when they hear of it.
        Never. Salt water and a soft brush across the grain, and grey is a colour like any other.
        Oil is for furniture. On a deck it turns into soup by August and you carry it into the cabin with your socks.
    """)),
    Thread("anchor-mud", "Which anchor for soft mud?", "Rigging", rows("""
        The upper bay is soup. My plough drags at the first puff and comes up clean as a spoon. What do you use up there, and how much chain?
        A flat one with big flukes and all of the chain you can lift. In mud it is area that counts, not weight.
        Let it sink for a quarter of an hour before you pull. Mud needs time to make up its mind.
    """)),
    Thread("radio-licence", "Do I need a licence for a handheld radio?", "Small talk", rows("""
        I was given a small waterproof radio for my birthday. The box says ready to use, the harbour office says otherwise. Who has been through this?
        You need the short course, one evening and a test that nobody fails. The set itself needs a call sign, which you get by post.
        Worth every hour. In fog you will be glad to know how to say where you are without saying please.
    """)),
    Thread("battery-winter", "Leave the battery on board in winter?", "Engines", rows("""
        Last winter I carried two batteries of thirty kilos each up the ladder and swore never to do it again. Is it really so bad to leave them on board if they are full?
        A full battery does not freeze. Take off both leads so that nothing can sip from it and look after it once around the new year.
        I leave mine with a small solar panel on the hatch. Fourth winter, same batteries.
    """)),
    Thread("dinghy-names", "Best name you have seen on a dinghy", "Small talk", rows("""
        I will start: a boat of two metres named Unsinkable Too. Seen upside down.
        There is one called Minutes of the Last Meeting, it belongs to the secretary of the council.
        Ours is called Receipt, since that is all that was left.
    """)),
    Thread("hull-paint", "How many coats below the waterline?", "Flea market", rows("""
        I have five litres of red antifouling to sell, and also a question: the tin says two coats, the yard put on four. Was that the yard being kind to me or to itself?
        Two all over and a third along the waterline and on the rudder, where it wears. Four is a gift to the yard.
        I will take two litres from you if the offer stands, I am at the pier every evening.
    """)),
)  # fmt: skip

ENGLISH = Language(
    code="en",
    home="/",
    joiner=" ",
    words=_WORDS,
    menu=_MENU,
    legal=_LEGAL,
    adverts=_ADVERTS,
    slots=_SLOTS,
    news_sentences=_NEWS,
    forum_sentences=_FORUM,
    handbook_sentences=_HANDBOOK,
    comments=_COMMENTS,
    articles=_ARTICLES,
    chapters=_CHAPTERS,
    threads=_THREADS,
    authors=("Clara Benning", "Matthew Odell", "Rosa Lindqvist"),
    members=("saltydog", "MrsBarnacle", "two_stroke_tim", "greta.k", "Fender", "northpier_nils", "knotwork", "old_soundings"),
    signatures=rows("""
        Fair winds to those who need them.
        1974 double-ender, mostly original
        I only fix what is broken. Everything is broken.
        Measure once, curse twice.
    """),
)
