"""The application: joins engine, store and reports. Everything that a command does can be called from here."""

from codejury.pipeline.asked import JudgeSettings, Told, default_run_name
from codejury.pipeline.check import PROBES, check
from codejury.pipeline.checks import GateRule
from codejury.pipeline.compare import CompareSettings, compare
from codejury.pipeline.convert import Converted, ConvertSettings, convert
from codejury.pipeline.demo import DemoResult, demo
from codejury.pipeline.doctor import doctor
from codejury.pipeline.explain import ExplainSettings, explain_passk
from codejury.pipeline.explain_pair import ExplainPairSettings, explain_pair
from codejury.pipeline.gate import GateSettings, gate
from codejury.pipeline.isolation import UNISOLATED, UNSAFE
from codejury.pipeline.judge import judge, judge_samples
from codejury.pipeline.jury import AsyncJury, Jury, JurySettings
from codejury.pipeline.merge import Homogeneity, MergeResult, MergeSettings, merge
from codejury.pipeline.plan import PlanSettings, plan
from codejury.pipeline.references import Progress
from codejury.pipeline.results import write_results
from codejury.pipeline.runs import delete_runs, import_runs, list_runs, show_run
from codejury.pipeline.score import ScoreSettings, metric_row, score
from codejury.pipeline.selection import Choice, choose
from codejury.pipeline.strength import StrengthSettings, strength
from codejury.pipeline.summary import summarise

__all__ = [
    "PROBES",
    "UNISOLATED",
    "UNSAFE",
    "AsyncJury",
    "Choice",
    "CompareSettings",
    "ConvertSettings",
    "Converted",
    "DemoResult",
    "ExplainPairSettings",
    "ExplainSettings",
    "GateRule",
    "GateSettings",
    "Homogeneity",
    "JudgeSettings",
    "Jury",
    "JurySettings",
    "MergeResult",
    "MergeSettings",
    "PlanSettings",
    "Progress",
    "ScoreSettings",
    "StrengthSettings",
    "Told",
    "check",
    "choose",
    "compare",
    "convert",
    "default_run_name",
    "delete_runs",
    "demo",
    "doctor",
    "explain_pair",
    "explain_passk",
    "gate",
    "import_runs",
    "judge",
    "judge_samples",
    "list_runs",
    "merge",
    "metric_row",
    "plan",
    "score",
    "show_run",
    "strength",
    "summarise",
    "write_results",
]
