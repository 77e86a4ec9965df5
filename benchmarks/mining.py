"""The style tree paper's experiment in form: what cleaning does to the classification and the clustering of pages.

Pages whose topics cross sites are made: texts of known topics (:mod:`benchmarks.topics`) are set into the content place of real pages
of each site (:mod:`benchmarks.planting`), so that the text says the topic and all the rest says the site. In each round sites, pages
and texts are drawn at random; every (site, topic) has the same number of texts, and every text and page is used once.

- *Classification*, crossed: the pages of a topic learned from all stand on one site, each topic's on another. The others are tested: there
  a topic's learning site carries every topic but its own, so who reads the chrome is misled. Mixed: half of each (site, topic) is
  learned, the other half tested; the chrome says nothing. Naive Bayes (multinomial, counts) and a linear SVM (tf-idf).
- *Clustering*: k-means on tf-idf, as many clusters as topics.

Each method learns from all pages of a site of the round, without labels, and cleans them.

Source: Yi, Liu and Li (2003), section 4. The paper's pages were products of several shops; ours are made, so numbers do not compare
with the paper's, only methods with each other.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from math import log
from pathlib import Path
from random import Random
from statistics import fmean, pstdev
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from typer import Argument, Option

from benchmarks.command import Names, PeerPythons, Sites, bench
from benchmarks.contestants import Contestant, contestants
from benchmarks.planting import Pot, Site, read_site
from benchmarks.report import Report, Table
from benchmarks.site_pages import site_folders
from benchmarks.timing import Progress, unseen
from benchmarks.topics import TopicText, read_topics
from tamis.errors import SourceError, UsageError, needs_extra

METHODS = (
    "all-text",
    "pagelets",
    "paragraphs",
    "attenuation",
    "style-tree-paper",
    "style-tree",
    "style-tree+att",
    "paragraphs+att",
    "site",
)
ALONE = "topic text alone"  #: The bound: the texts without any chrome.
MEASURES = {
    "crossed_nb": "crossed, naive Bayes: accuracy",
    "crossed_nb_f": "crossed, naive Bayes: F",
    "crossed_svm": "crossed, SVM: accuracy",
    "crossed_svm_f": "crossed, SVM: F",
    "mixed_nb": "mixed, naive Bayes: accuracy",
    "mixed_svm": "mixed, SVM: accuracy",
    "cluster_f": "k-means: F",
    "cluster_nmi": "k-means: NMI with topics",
    "cluster_entropy": "k-means: entropy",
    "site_nmi": "k-means: NMI with sites",
}
LEGEND = (
    "F of classification: mean over topics. F of clustering: for each topic the F of its best cluster, weighted by pages. NMI: "
    "normalised mutual information of clusters and topics (or sites). entropy: entropy of the topics within a cluster, weighted by "
    "pages, relative to that of a uniform mix; 0 is best."
)
_TOKEN = r"(?u)\b[^\W\d_]\w+\b"
Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Round:
    """Measures of one method in one round."""

    method: str
    seed: int
    values: dict[str, float]  #: By the names of :data:`MEASURES`, each 0..1.


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    topics: tuple[str, ...]
    texts: dict[str, int]  #: Texts there are of each topic, used or not.
    sites: tuple[str, ...]  #: Sites that rounds draw from.
    sites_per_round: int
    per_cell: int  #: Texts of each topic on each site.
    words: int  #: Words of each text at most.
    seeds: int
    rounds: tuple[Round, ...] = field(repr=False)
    not_run: dict[str, str]  #: Methods that could not run, and why.

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that ran, in order."""
        return tuple(dict.fromkeys(found.method for found in self.rounds))

    def mean(self, method: str, measure: str) -> float:
        """Mean over the rounds."""
        return fmean(found.values[measure] for found in self.rounds if found.method == method)

    def spread(self, method: str, measure: str) -> float:
        """Standard deviation over the rounds."""
        return pstdev(found.values[measure] for found in self.rounds if found.method == method)

    def to_dict(self) -> dict[str, Any]:
        """Plain values: means, deviations and every round."""
        return {
            "topics": list(self.topics),
            "texts of each topic": self.texts,
            "sites to draw from": list(self.sites),
            "sites in a round": self.sites_per_round,
            "texts of each topic on each site": self.per_cell,
            "words of a text": self.words,
            "measures": {**MEASURES, "legend": LEGEND},
            "means": {m: {name: round(self.mean(m, name), 4) for name in MEASURES} for m in self.methods},
            "deviations": {m: {name: round(self.spread(m, name), 4) for name in MEASURES} for m in self.methods},
            "rounds": [asdict(found) for found in self.rounds],
            "not run": self.not_run,
        }


def run(
    folder: Annotated[Path, Argument(help="A folder of sites with gold.")],
    topics: Annotated[Path, Option("--topics")],
    *,
    sites: Sites = None,
    methods: Names = None,
    topic_count: Annotated[int, Option(min=2)] = 5,
    sites_per_round: Annotated[int, Option(min=2)] = 5,
    per_cell: Annotated[int, Option(min=2)] = 8,
    words: Annotated[int, Option(min=1)] = 200,
    seeds: Annotated[int, Option(min=1)] = 10,
    peer_pythons: PeerPythons = None,
    progress: Progress = unseen,
) -> Result:
    """The style tree paper's experiment: classification and clustering of pages whose topics cross sites, cleaned by each method.

    Options:
        topics: A folder of single pages with gold; texts of known topics are chosen from it by keywords.
        methods: Names of methods and tools, with commas between.
        topic_count: Number of topics.
        sites_per_round: Sites drawn for each round, at least as many as topics.
        per_cell: Texts of each topic on each site.
        words: Most words of each text.
        seeds: Number of rounds.
    """
    if sites_per_round < topic_count:
        raise UsageError(f"each topic is learned on a site of its own: {topic_count} topics need as many sites, not {sites_per_round}")
    with needs_extra("classification and clustering", "bench"):
        import sklearn  # noqa: F401
    found = read_topics(topics, words)
    chosen = list(found)[:topic_count]
    known = {topic: len(texts) for topic, texts in found.items()}
    if short := [f"{topic} ({known[topic]})" for topic in chosen if known[topic] < per_cell * sites_per_round]:
        raise SourceError(f"each topic needs {per_cell * sites_per_round} texts; too few of {', '.join(short)} in {topics}")
    hosts = [site for site in map(read_site, site_folders(folder, sites)) if len(site.pages) >= per_cell * topic_count]
    if len(hosts) < sites_per_round:
        raise SourceError(
            f"{len(hosts)} sites of {folder} have the {per_cell * topic_count} content pages that this needs, of {sites_per_round}"
        )
    rounds: list[Round] = []
    with ExitStack() as stack:
        all_there = contestants(METHODS if methods is None else methods, [sys.executable, *(peer_pythons or ())])
        for one in all_there:
            stack.callback(one.close)
        for seed in range(seeds):
            collection = _compose(hosts, {topic: found[topic] for topic in chosen}, sites_per_round, per_cell, seed)
            running = [one for one in all_there if one.reason is None]
            rounds += [Round(one.name, seed, measure(collection.cleaned(one), collection, seed)) for one in running]
            rounds.append(Round(ALONE, seed, measure(collection.alone, collection, seed)))
            progress(seed + 1, seeds)
        not_run = {one.name: one.reason for one in all_there if one.reason is not None}
    names = tuple(site.name for site in hosts)
    return Result(tuple(chosen), known, names, sites_per_round, per_cell, words, seeds, tuple(rounds), not_run)


@dataclass(frozen=True, slots=True)
class Collection:
    """The pages of one round: ``n`` pages in the order site, topic, number."""

    pages: tuple[tuple[str, str], ...] = field(repr=False)  #: URL and HTML.
    alone: list[str] = field(repr=False)  #: The topic text of each page.
    topic: Labels  #: Topic of each page, int64 ``(n,)``.
    site: Labels  #: Site of each page, int64 ``(n,)``.
    number: Labels  #: Number of each page among those of its site and topic, int64 ``(n,)``.
    home: Labels  #: The site on which each topic is learned in the crossed setting, int64 ``(topics,)``.

    def cleaned(self, one: Contestant) -> list[str]:
        """The pages' texts after cleaning by a method that learned each site; the text of a page that fails is empty."""
        texts = [""] * len(self.pages)
        for site in range(int(self.site.max()) + 1):
            members = np.flatnonzero(self.site == site).tolist()
            one.learn([self.pages[k] for k in members])
            for k in members:
                texts[k] = one.clean(self.pages[k]).text
        return texts


def _compose(hosts: Sequence[Site], topics: dict[str, list[TopicText]], sites: int, per_cell: int, seed: int) -> Collection:
    """Draw sites, pages and texts, and set the texts in."""
    chance = Random(f"mining {seed}")
    drawn = chance.sample(hosts, sites)
    texts = {topic: iter(chance.sample(there, sites * per_cell)) for topic, there in topics.items()}
    home = chance.sample(range(sites), len(topics))
    pages, alone, labels = [], [], []
    for s, site in enumerate(drawn):
        pots = _pots(site, chance)
        for t, topic in enumerate(topics):
            for number in range(per_cell):
                text, pot = next(texts[topic]), next(pots)
                pages.append((pot.url, pot.plant(text.paragraphs)))
                alone.append("\n".join(text.paragraphs))
                labels.append((t, s, number))
    topic_labels, site_labels, numbers = np.array(labels).T
    return Collection(tuple(pages), alone, topic_labels, site_labels, numbers, np.array(home))


def _pots(site: Site, chance: Random) -> Any:
    """The pages of a site in random order, without their main text; over again where they don't suffice."""
    order = chance.sample(range(len(site.pages)), len(site.pages))
    while True:
        found: list[Pot] = []
        for page in order:
            pot = site.pot(page)
            if pot is not None:
                found.append(pot)
                yield pot
        if not found:
            raise SourceError(f"no page of {site.name} has a content place")


def measure(texts: Sequence[str], pages: Collection, seed: int) -> dict[str, float]:
    """The measures of :data:`MEASURES` on cleaned texts."""
    crossed = pages.site == pages.home[pages.topic]
    mixed = pages.number % 2 == 0
    found: dict[str, float] = {}
    for name, train in (("crossed", crossed), ("mixed", mixed)):
        for kind in ("nb", "svm"):
            accuracy, f = _classify(texts, pages.topic, train, kind)
            found[f"{name}_{kind}"] = accuracy
            if name == "crossed":
                found[f"{name}_{kind}_f"] = f
    return {name: round(value, 6) for name, value in {**found, **_cluster(texts, pages, seed)}.items()}


def _classify(texts: Sequence[str], topic: Labels, train: NDArray[np.bool_], kind: str) -> tuple[float, float]:
    """Accuracy and mean F over topics on the pages not learned from."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.metrics import accuracy_score, f1_score
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    learned, tested = np.flatnonzero(train).tolist(), np.flatnonzero(~train).tolist()
    if not any(texts[k].strip() for k in learned):
        return 0.0, 0.0
    model = (
        make_pipeline(CountVectorizer(token_pattern=_TOKEN), MultinomialNB())
        if kind == "nb"
        else make_pipeline(TfidfVectorizer(token_pattern=_TOKEN, sublinear_tf=True), LinearSVC(random_state=0))
    )
    model.fit([texts[k] for k in learned], topic[learned])
    answer = model.predict([texts[k] for k in tested])
    return float(accuracy_score(topic[tested], answer)), float(f1_score(topic[tested], answer, average="macro", zero_division=0))


def _cluster(texts: Sequence[str], pages: Collection, seed: int) -> dict[str, float]:
    from sklearn.cluster import KMeans
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics import normalized_mutual_info_score

    count = int(pages.topic.max()) + 1
    if not any(text.strip() for text in texts):
        return {"cluster_f": 0.0, "cluster_nmi": 0.0, "cluster_entropy": 1.0, "site_nmi": 0.0}
    words = TfidfVectorizer(token_pattern=_TOKEN, sublinear_tf=True).fit_transform(texts)
    cluster = KMeans(count, n_init=10, random_state=seed).fit_predict(words).astype(np.int64)
    return {
        "cluster_f": cluster_f(cluster, pages.topic),
        "cluster_nmi": float(normalized_mutual_info_score(pages.topic, cluster)),
        "cluster_entropy": cluster_entropy(cluster, pages.topic),
        "site_nmi": float(normalized_mutual_info_score(pages.site, cluster)),
    }


def cluster_f(cluster: Labels, topic: Labels) -> float:
    """F of a clustering: for each topic that of the cluster that fits it best, weighed by the topic's pages (Larsen and Aone, 1999).

    >>> cluster_f(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])), cluster_f(np.array([0, 0, 0, 0]), np.array([1, 1, 0, 0]))
    (1.0, 0.6666666666666666)
    """
    shared = _table(cluster, topic)
    f = 2 * shared / np.maximum(shared.sum(0)[None, :] + shared.sum(1)[:, None], 1)
    return float((f.max(0) * shared.sum(0)).sum() / shared.sum())


def cluster_entropy(cluster: Labels, topic: Labels) -> float:
    """Entropy of the topics within clusters, weighed by pages, by that of an even mix, 0..1.

    >>> cluster_entropy(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])), cluster_entropy(np.array([0, 1, 0, 1]), np.array([1, 1, 0, 0]))
    (0.0, 1.0)
    """
    shared = _table(cluster, topic)
    share = shared / np.maximum(shared.sum(1, keepdims=True), 1)
    entropy = -(share * np.log(np.where(share > 0, share, 1))).sum(1)
    return abs(float((entropy * shared.sum(1)).sum() / shared.sum() / log(shared.shape[1])))


def _table(cluster: Labels, topic: Labels) -> NDArray[np.int64]:
    """Pages by cluster and topic, int64 ``(clusters, topics)``."""
    shared = np.zeros((int(cluster.max()) + 1, int(topic.max()) + 1), dtype=np.int64)
    np.add.at(shared, (cluster, topic), 1)
    return shared


# -- report -----------------------------------------------------------------------------------------------------------------


def report(result: Result) -> Report:
    """Each measure by method, with its deviation."""
    pages = len(result.topics) * result.sites_per_round * result.per_cell
    table = Table(
        f"classification and clustering by topic: {pages} pages of {len(result.topics)} topics on {result.sites_per_round} sites, "
        f"mean of {result.seeds} rounds (± deviation), percent",
        "; ".join(["pages cleaned by", *(heading.replace(": ", ":\n") for heading in MEASURES.values())]),
        [(m, *(f"{100 * result.mean(m, name):.1f} ±{100 * result.spread(m, name):.1f}" for name in MEASURES)) for m in result.methods],
    )
    remarks = [
        LEGEND,
        f"Topics: {', '.join(f'{t} ({result.texts[t]} texts)' for t in result.topics)}. Texts of at most {result.words} words.",
        f"Sites are drawn from: {', '.join(result.sites)}.",
        *(f"Not run: {name}: {reason}" for name, reason in result.not_run.items()),
    ]
    return Report([table], remarks)


command = bench(run, report, "rounds")
