"""Metrics by name: aliases, us-gaap concepts, polarity, and the class of number that a label announces."""

# ruff: noqa: E501 (one alternative of a pattern or one row of a table a line)
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from viska_assets.model.evidence import Unit
from viska_assets.model.span import Span


class Polarity(StrEnum):
    """How a metric's sign is stated: SIGNED may be negative; MAGNITUDE is named as a positive cost or payment."""

    SIGNED = "signed"
    MAGNITUDE = "magnitude"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: ``metric_id``, its names in text (lower case), its us-gaap concepts, class and polarity."""

    metric_id: str
    aliases: tuple[str, ...]
    concepts: tuple[str, ...] = ()
    unit: Unit = Unit.MONEY
    polarity: Polarity = Polarity.UNKNOWN


_S, _M, _U = Polarity.SIGNED, Polarity.MAGNITUDE, Polarity.UNKNOWN
# metric | aliases | us-gaap concepts | class | polarity
_TABLE: tuple[tuple[str, str, str, Unit, Polarity], ...] = (
    ("revenue", "net sales|net revenues|net revenue|total revenues|total revenue|total net sales|total net revenue|revenues|revenue|sales|"
     "turnover|sales revenue|revenue from operations|net turnover|omsætning|nettoomsætning|umsatz|umsatzerlöse|chiffre d'affaires",
     "Revenues RevenueFromContractWithCustomerExcludingAssessedTax RevenueFromContractWithCustomerIncludingAssessedTax SalesRevenueNet", Unit.MONEY, _U),
    ("cost_of_revenue", "cost of revenue|cost of revenues|cost of sales|cost of goods sold|cost of products sold|cogs", "CostOfRevenue CostOfGoodsAndServicesSold", Unit.MONEY, _M),
    ("gross_profit", "gross profit|gross income", "GrossProfit", Unit.MONEY, _S),
    ("operating_income", "operating income|operating profit|operating loss|income from operations|loss from operations|profit from operations|"
     "operating earnings|operating income (loss)|income (loss) from operations|ebit|driftsresultat|betriebsergebnis", "OperatingIncomeLoss", Unit.MONEY, _S),
    ("ebitda", "ebitda", "", Unit.MONEY, _S),
    ("adjusted_ebitda", "adjusted ebitda", "", Unit.MONEY, _S),
    ("adjusted_ebit", "adjusted ebit|adjusted operating income|adjusted operating profit|non-gaap operating income", "", Unit.MONEY, _S),
    ("pretax_income", "income before income taxes|income before taxes|pretax income|pre-tax income|profit before tax|earnings before income taxes|"
     "income before provision for income taxes", "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest", Unit.MONEY, _S),
    ("net_income", "net income|net profit|net earnings|net loss|net income (loss)|net (loss) income|net (loss) earnings|net earnings (loss)|"
     "profit for the year|profit for the period|net result|årets resultat|profit after tax|bottom line", "NetIncomeLoss ProfitLoss", Unit.MONEY, _S),
    ("adjusted_net_income", "adjusted net income|non-gaap net income|adjusted net earnings", "", Unit.MONEY, _S),
    ("tax_expense", "provision for income taxes|income tax expense|income taxes|tax expense|tax benefit|provision for (benefit from) income taxes|"
     "benefit from income taxes|income tax benefit|income tax provision", "IncomeTaxExpenseBenefit", Unit.MONEY, _M),
    ("taxes_paid", "tax paid|taxes paid|income taxes paid|cash taxes|cash paid for income taxes", "IncomeTaxesPaid IncomeTaxesPaidNet", Unit.MONEY, _M),
    ("tax_rate", "effective tax rate|effective income tax rate|tax rate", "EffectiveIncomeTaxRateContinuingOperations", Unit.PERCENT, _S),
    ("eps_diluted", "diluted earnings per share|diluted eps|diluted earnings per common share|diluted net income per share|earnings per share diluted|"
     "earnings per diluted share|diluted net earnings per share|eps diluted", "EarningsPerShareDiluted", Unit.PER_SHARE, _S),
    ("eps_basic", "basic earnings per share|basic eps|basic earnings per common share|basic net income per share|earnings per share basic", "EarningsPerShareBasic", Unit.PER_SHARE, _S),
    ("eps", "earnings per share|eps|net income per share|loss per share|net loss per share|earnings per common share", "", Unit.PER_SHARE, _S),
    ("dividend_per_share", "dividend per share|dividends per share|dividends declared per share|dividends declared per common share|cash dividends per share|"
     "dividends per common share", "CommonStockDividendsPerShareDeclared", Unit.PER_SHARE, _M),
    ("gross_margin", "gross margin|gross margin percentage|gross profit margin", "", Unit.PERCENT, _S),
    ("operating_margin", "operating margin|ebit margin|operating profit margin", "", Unit.PERCENT, _S),
    ("net_margin", "net margin|net profit margin|profit margin", "", Unit.PERCENT, _S),
    ("operating_cash_flow", "cash flow from operations|operating cash flow|net cash provided by operating activities|cash provided by operating activities|"
     "net cash from operating activities|cash flows from operating activities|net cash provided by (used in) operating activities|net cash used in operating activities",
     "NetCashProvidedByUsedInOperatingActivities", Unit.MONEY, _S),
    ("investing_cash_flow", "net cash used in investing activities|net cash provided by (used in) investing activities|cash flows from investing activities",
     "NetCashProvidedByUsedInInvestingActivities", Unit.MONEY, _S),
    ("financing_cash_flow", "net cash used in financing activities|net cash provided by (used in) financing activities|cash flows from financing activities",
     "NetCashProvidedByUsedInFinancingActivities", Unit.MONEY, _S),
    ("free_cash_flow", "free cash flow|fcf", "", Unit.MONEY, _S),
    ("capex", "capital expenditures|capital expenditure|capex|payments for property and equipment|purchases of property and equipment|"
     "payments to acquire property, plant and equipment|purchases of property, plant and equipment|additions to property, plant and equipment|"
     "payments for acquisition of property, plant and equipment", "PaymentsToAcquirePropertyPlantAndEquipment PaymentsToAcquireProductiveAssets", Unit.MONEY, _M),
    ("buybacks", "share repurchases|buybacks|share buybacks|stock repurchases|repurchases of common stock|repurchase of common stock|"
     "purchases of treasury stock|payments for repurchase of common stock|common stock repurchased|repurchases of common shares", "PaymentsForRepurchaseOfCommonStock", Unit.MONEY, _M),
    ("dividends_paid", "dividends paid|cash dividends paid|payments of dividends|payment of dividends|dividends and dividend equivalents paid|"
     "payments for dividends and dividend equivalents", "PaymentsOfDividends PaymentsOfDividendsCommonStock", Unit.MONEY, _M),
    ("research_development", "research and development|research & development|r&d|r&d expense|research and development expense|research and development expenses",
     "ResearchAndDevelopmentExpense", Unit.MONEY, _U),
    ("sga", "selling, general and administrative|selling, general and administrative expenses|selling, general & administrative|sg&a|"
     "sales, general and administrative|sales, general and administrative expenses|sales, general & administrative|"
     "selling, general, and administrative|sales, general, and administrative", "SellingGeneralAndAdministrativeExpense", Unit.MONEY, _U),
    ("operating_expenses", "operating expenses|total operating expenses|operating costs", "OperatingExpenses", Unit.MONEY, _U),
    ("interest_expense", "interest expense|interest costs", "InterestExpense", Unit.MONEY, _M),
    ("depreciation_amortization", "depreciation and amortization|depreciation & amortization|d&a", "DepreciationDepletionAndAmortization", Unit.MONEY, _U),
    ("restructuring", "restructuring charges|restructuring costs|restructuring|restructuring expense", "RestructuringCharges", Unit.MONEY, _U),
    ("impairment", "impairment|impairments|impairment charges|impairment losses", "", Unit.MONEY, _U),
    ("cash", "cash and cash equivalents|cash & cash equivalents|cash", "CashAndCashEquivalentsAtCarryingValue", Unit.MONEY, _U),
    ("current_assets", "total current assets|current assets", "AssetsCurrent", Unit.MONEY, _U),
    ("current_liabilities", "total current liabilities|current liabilities", "LiabilitiesCurrent", Unit.MONEY, _M),
    ("property_equipment", "property, plant and equipment, net|property and equipment, net|net property, plant and equipment",
     "PropertyPlantAndEquipmentNet", Unit.MONEY, _U),
    ("total_assets", "total assets|assets", "Assets", Unit.MONEY, _U),
    ("total_liabilities", "total liabilities|liabilities|liability", "Liabilities", Unit.MONEY, _M),
    ("equity", "total equity|shareholders' equity|stockholders' equity|total stockholders' equity|total shareholders' equity|book equity", "StockholdersEquity", Unit.MONEY, _S),
    ("total_debt", "total debt|debt|borrowings|total borrowings", "", Unit.MONEY, _U),
    ("long_term_debt", "long-term debt|long term debt", "LongTermDebtNoncurrent LongTermDebt", Unit.MONEY, _U),
    ("net_debt", "net debt|net interest-bearing debt", "", Unit.MONEY, _S),
    ("inventory", "inventories|inventory", "InventoryNet", Unit.MONEY, _U),
    ("receivables", "accounts receivable|receivables|trade receivables", "AccountsReceivableNetCurrent", Unit.MONEY, _U),
    ("payables", "accounts payable|payables|trade payables", "AccountsPayableCurrent", Unit.MONEY, _U),
    ("goodwill", "goodwill", "Goodwill", Unit.MONEY, _U),
    ("leverage", "net debt / ebitda|net debt to ebitda|net debt/ebitda|leverage|leverage ratio|debt to equity|debt-to-equity", "", Unit.RATIO, _U),
    ("current_ratio", "current ratio|quick ratio", "", Unit.RATIO, _U),
    ("price_earnings", "p/e|price/earnings|price-to-earnings|price to earnings|p/e ratio|earnings multiple", "", Unit.RATIO, _U),
    ("ev_ebitda", "ev/ebitda|ev / ebitda", "", Unit.RATIO, _U),
    ("organic_growth", "organic growth|organic sales growth|like-for-like growth|comparable sales|same-store sales", "", Unit.PERCENT, _S),
    ("growth", "sales growth|revenue growth|growth|year-over-year growth", "", Unit.PERCENT, _S),
    ("price_target", "price target|target price|target", "", Unit.MONEY, _U),
    ("shares_outstanding", "shares outstanding|shares issued and outstanding|number of shares|common shares outstanding|diluted shares|basic shares|"
     "weighted average shares|weighted-average shares outstanding|weighted average diluted shares|number of shares outstanding",
     "CommonStockSharesOutstanding EntityCommonStockSharesOutstanding", Unit.SHARES, _U),
    ("headcount", "headcount|employees|number of employees|full-time employees|staff|employees at year end", "", Unit.COUNT, _U),
    ("return_on_equity", "return on equity|roe", "", Unit.PERCENT, _S),
    ("return_on_capital", "return on invested capital|roic|roce|return on capital employed", "", Unit.PERCENT, _S),
    ("dividend_yield", "dividend yield|yield", "", Unit.PERCENT, _U),
    ("drawdown", "max drawdown|maximum drawdown|drawdown", "", Unit.PERCENT, _U),
    ("volatility", "annualized volatility|volatility", "", Unit.PERCENT, _U),
)  # fmt: skip

METRICS: dict[str, Metric] = {
    row[0]: Metric(row[0], tuple(row[1].split("|")), tuple(row[2].split()), row[3], row[4]) for row in _TABLE
}
_BY_ALIAS = {alias: metric.metric_id for metric in METRICS.values() for alias in metric.aliases}
_BY_CONCEPT = {concept.lower(): metric.metric_id for metric in METRICS.values() for concept in metric.concepts}
_PATTERN = re.compile(
    r"(?<![\w-])(?:" + "|".join(re.escape(a) for a in sorted(_BY_ALIAS, key=len, reverse=True)) + r")(?![\w-])", re.I
)
# "Sales" that names who or what sells, and its cost, is no revenue.
_COST_OF_SELLING = re.compile(
    r"sales(?:,|\s(?:and|&))\s(?:general|marketing|administrati\w+|distribution|advertising)\b"
    r"|sales[\s-](?:force|tax(?:es)?|commissions?|personnel|teams?|staff|incentives?)\b",
    re.I,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOISE = re.compile(r"\[\^?[^\]]*\]|\((?:\d{1,2}|[a-z])\)|[*†‡§:¹²³]|\s+\d{1,2}$")
_SCALE_NOTE = re.compile(r"\((?:in\s)?[^()]*(?:million|billion|thousand|usd|eur|dkk|%|\$|€|'000|bn|mn)[^()]*\)", re.I)


@dataclass(frozen=True, slots=True)
class MetricMention:
    """A metric named in text."""

    span: Span
    metric_id: str
    alias: str


@lru_cache(maxsize=16384)
def normal_label(label: str) -> str:
    """A label in lower case without footnote marks, scale notes and punctuation at its ends; CamelCase is split."""
    text = label.split(":")[-1] if re.fullmatch(r"[a-z-]+:[A-Za-z]+", label) else label
    if " " not in text and _CAMEL.search(text):
        text = _CAMEL.sub(" ", text)
    text = _SCALE_NOTE.sub(" ", text.replace("’", "'").replace("_", " "))
    return " ".join(_NOISE.sub(" ", text).lower().split()).strip(" .,;|")


@lru_cache(maxsize=16384)
def metric_of(label: str) -> str | None:
    """The metric that a row label, phrase or us-gaap concept names as a whole; None where it names none."""
    concept = _BY_CONCEPT.get(label.split(":")[-1].lower())
    if concept:
        return concept
    text = normal_label(label)
    found = _BY_ALIAS.get(text) or _BY_ALIAS.get(re.sub(r"^(?:total|reported|the|our|company|group)\s", "", text))
    if found:
        return found
    bare = re.sub(r"\s*[,(-].*$", "", text)
    if _COST_OF_SELLING.match(text):
        return None
    return _BY_ALIAS.get(bare) if len(bare) > 3 else None


def metrics_in(text: str) -> tuple[MetricMention, ...]:
    """All metrics that ``text`` names, longest alias first at each place, left to right."""
    return tuple(
        MetricMention(Span(m.start(), m.end()), _BY_ALIAS[m[0].lower()], m[0].lower())
        for m in _PATTERN.finditer(text.replace("’", "'"))
        if not (m[0].lower() == "sales" and _COST_OF_SELLING.match(text, m.start()))
    )


def polarity_of(metric_id: str | None) -> Polarity:
    """The polarity of a metric; UNKNOWN where it is not in the table."""
    return METRICS[metric_id].polarity if metric_id in METRICS else Polarity.UNKNOWN


_PER_SHARE = re.compile(
    r"\bper (?:\w+ ){0,3}?(?:shares?|ads|unit|stock)\b|\beps\b|\bper-share\b|\bper (?:option|rsu|warrant)\b|\bshare price\b",
    re.I,
)
_PERCENT = re.compile(
    r"%|\bpercent(?:age)?\b|\bpct\b|\bmargins?\b|\btax rate\b|\brates?\b(?! (?:case|base))|\byield\b|\b(?:organic|sales|revenue) growth\b"
    r"|\bgrowth rate\b|\bvolatility\b|\bdrawdown\b|\bshare of (?:voice|sales|revenue)\b|\bcoupon\b|\bas a percent",
    re.I,
)
_RATIO = re.compile(
    r"\bratio\b|\bmultiple\b|\bleverage\b|\bp/e\b|\bev/|\btimes\b|net debt ?(?:/|to) ?ebitda|\bturnover ratio\b|\bcoverage\b",
    re.I,
)
_SHARES = re.compile(
    r"\bshares\b(?!.{0,12}\b(?:price|amount|value|repurchase program|cost)\b)|\bnumber of (?:\w+ )?(?:options|rsus|awards|warrants|securities)\b"
    r"|\bshare count\b|\bweighted[- ]average (?:\w+ )*shares\b|\b(?:in|of) shares\b",
    re.I,
)
_COUNT = re.compile(
    r"\bemployees\b|\bheadcount\b|\bnumber of\b|\bstores\b|\bcustomers\b|\bsubscribers\b|\bunits\b|\bobservations\b|\bcount\b|\bdays\b|\byears\b"
    r"|\bmonths\b|\b(?:life|term)\b.*\byears\b|\bheads\b|\bstaff\b|\bsquare (?:feet|meters)\b|\bvehicles\b|\bbarrels\b|\btonnes\b|\bmw\b",
    re.I,
)
_MONEY_IN_SHARES = re.compile(
    r"\b(?:dividends?|repurchases?|purchases?|issuance|proceeds|payments?|price|value|cost|compensation)\b", re.I
)


@lru_cache(maxsize=16384)
def label_class(label: str) -> Unit | None:
    """The class of number that a row or column label announces; None where it announces nothing (usually money).

    ``Diluted EPS`` is per share, ``Effective tax rate`` percent, ``Diluted shares`` shares, ``Current ratio`` ratio.
    """
    text = label.replace("_", " ")
    if _PER_SHARE.search(text):
        return Unit.PER_SHARE
    if _RATIO.search(text):
        return Unit.RATIO
    if _PERCENT.search(text):
        return Unit.PERCENT
    if _SHARES.search(text) and not _MONEY_IN_SHARES.search(text):
        return Unit.SHARES
    metric = metric_of(label)
    if metric is not None and METRICS[metric].unit is not Unit.MONEY:
        return METRICS[metric].unit
    if _COUNT.search(text):
        return Unit.COUNT
    return None
