"""A site's template: learned from some of its pages, applied to all of them."""

from tamis.site.learned import Rules as Rules
from tamis.site.learned import SiteSettings as SiteSettings
from tamis.site.model import SiteModel as SiteModel
from tamis.site.model import learn as learn
