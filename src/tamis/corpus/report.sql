-- The report's sections: a line "-- name: title | columns" (one column: a bar for each row, in this unit) before the query of each.
-- {reason} is a reason, without the probability that it may name; {lengths}: where the classes of text lengths begin, characters.

-- reasons: What became of the characters | characters
select 'kept', sum(kept) from documents
union all select * from (select {reason}, sum(length(text)) from dropped group by 1 order by 2 desc)

-- lengths: How long the documents are | pages with text
select case when upper is null then format('{:,} characters or more', lower)
    else format('{:,} to {:,} characters', lower, upper - 1) end, count(id)
from (select lower, lead(lower) over (order by lower) upper from unnest({lengths}) t(lower))
left join documents on length(text) >= lower and length(text) < coalesce(upper, 1e18)
group by lower, upper order by lower

-- languages: Languages, detected or else as pages state them | pages with text
select coalesce(detected_language, nullif(lower(split_part(language, '-', 1)), ''), 'not stated'), count(*)
from documents group by 1 order by 2 desc, 1 limit 20

-- sites: Sites | site | pages with text | by template | characters kept | of all
select site, count(*), count(*) filter (method like 'site%'), sum(kept),
    printf('%.0f%%', 100 * sum(kept) / greatest(sum(seen), 1))
from documents group by site order by count(*) desc, site limit 30

-- mixed: Taken for one site, but with pages of several | folder or file | hosts

-- outcomes: Templates of sites | what was done | sites | pages learned from | such as
select outcome, count(*), sum(pages), string_agg(site, ', ' order by site) filter (turn <= 10)
from (select *, row_number() over (partition by outcome order by site) turn from models)
group by outcome order by count(*) desc, outcome

-- templates: Heaviest templates | site | characters dropped | of all | such as
with pages as (select id, site, seen, row_number() over (partition by site order by hash(id)) turn from documents),
heaviest as (
    select site, sum(length(text)) gone, sum(length(text)) / greatest(any_value(total), 1) as share
    from dropped join pages using (id) join (select site, sum(seen) total from documents group by site) using (site)
    where reason like 'template%' group by site order by 2 desc, site limit 15
),
lines as (
    select site, line, sum(length(line)) weight
    from (
        select site, unnest(string_split(text, chr(10))) line
        from dropped join pages using (id) where reason like 'template%' and turn <= 20 and site in (select site from heaviest)
    )
    group by site, line qualify row_number() over (partition by site order by weight desc, line) <= 3
)
select site, gone, printf('%.0f%%', 100 * share),
    string_agg(case when length(line) > 100 then left(line, 99) || '…' else line end, ' · ' order by weight desc, line)
from heaviest left join lines using (site) group by site, gone, share order by gone desc, site

-- clusters: Largest clusters of near-duplicates | kept | address | copies | relation | for example
select coalesce(kept.title, left(kept.text, 80)), coalesce(kept.url, kept.source), count(*),
    string_agg(distinct relation, ', ' order by relation), min(coalesce(copy.url, copy.source))
from duplicates join documents kept on kept.id = survivor join documents copy on copy.id = duplicates.id
group by survivor, 1, 2 order by 3 desc, survivor limit 15

-- records: Rows of lists | site | pages with lists | lists | records
select site, count(distinct id), count(distinct (id, region)), count(*)
from records group by site order by 4 desc, site limit 15

-- failures: Pages that failed or have no text | stage | reason | pages | for example
select stage, regexp_replace(reason, 'sends its readers to [^;]+', 'sends its readers elsewhere'), count(*),
    min(coalesce(url, source))
from failures group by 1, 2 order by 3 desc, 1, 2 limit 20

-- samples: Before and after
with chosen as (
    select id, title, coalesce(url, source) place, left(text, 1200) as text from documents
    where id not in (select id from duplicates) order by hash(id) limit 6
)
select title, place, chosen.text,
    coalesce(list({'reason': reason, 'text': left(gone, 700)} order by reason) filter (reason is not null), [])
from chosen left join (select id, {reason} reason, string_agg(text, chr(10)) gone from dropped group by 1, 2) using (id)
group by chosen.id, title, place, chosen.text order by chosen.id

-- stages: Where the time goes, by stage | stage | tasks | processor seconds | memory, MB | counted

-- parts: Where the time goes, by part of the work on pages | part | processor seconds | milliseconds a page | of all
