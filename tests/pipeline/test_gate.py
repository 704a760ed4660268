"""Gates over the store: decisions, baselines, several sets, slices, tokens and cost, what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.model import NotComparableError, UsageError
from codejury.pipeline import GateRule, GateSettings, gate, summarise
from codejury.report import JudgeDocument, write_json
from codejury.stats.gate import Mode
from codejury.stats.multiple import holm

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from codejury.report import GateDocument
    from codejury.store import Store

META = {"model": "m", "temperature": "0.8", "top_p": "0.95", "max_tokens": "512", "prompt_hash": "abc"}
GOOD = [4, 4, 3, 4, 0, 4, 4, 3, 4, 4] * 3
BAD = [2, 3, 1, 2, 0, 1, 2, 1, 3, 2] * 3


def _gate(
    store: Store, *rules: GateRule, currents: Any = ("now",), base: Any = ("base",), **more: Any
) -> GateDocument:
    settings = GateSettings(currents=currents, baselines=base, rules=rules or (GateRule(),), **more)
    return gate(store, settings)


def test_regression_fails_and_no_change_passes(store: Store, make_run: Callable[..., int]) -> None:
    """With what was compared, the chances of the rule, and the problems that flipped."""
    make_run(store, "base", GOOD)
    make_run(store, "now", BAD)
    make_run(store, "same", GOOD[::-1])
    document = _gate(store)
    (check,) = document.checks
    assert ("regression", 1) == (document.decision, document.exit_code)
    assert sum(BAD) / 120 - sum(GOOD) / 120 == pytest.approx(check.difference)
    assert check.high < 0
    assert check.false_alarms <= 0.07
    assert {"spread", "lost"} == {row.model for row in check.detectable}
    assert all(row.effect and row.effect > check.margin for row in check.detectable)
    assert "made/2" in document.pairs[0].lost
    assert [] == document.pairs[0].gained
    passed = _gate(store, currents=("same",))
    assert ("pass", 0) == (passed.decision, passed.exit_code)
    assert any("larger than its margin" in warning for warning in passed.warnings)


def test_what_chance_may_explain_is_said(store: Store, make_run: Callable[..., int]) -> None:
    """A drop beyond the margin that passes is no clean bill."""
    make_run(store, "base", GOOD)
    make_run(store, "now", [3, *GOOD[1:7], 1, *GOOD[8:]])
    document = _gate(store)
    assert "pass" == document.decision
    assert any("worse by more than the margin, but chance is not excluded (p 0." in w for w in document.warnings)


def test_a_drop_of_exactly_one_point_passes(store: Store, make_run: Callable[..., int]) -> None:
    """And the bare rule says how often it fails for nothing."""
    make_run(store, "base", [1] * 50 + [0] * 50, 1)
    make_run(store, "now", [1] * 49 + [0] * 51, 1)
    make_run(store, "less", [1] * 48 + [0] * 52, 1)
    rule = GateRule(mode=Mode.POINT, max_drop=0.01)
    assert "pass" == _gate(store, rule).decision
    document = _gate(store, rule, currents=("less",))
    assert "regression" == document.decision
    assert any("the bare rule fails in" in warning for warning in document.warnings)


def test_inconclusive_ends_as_it_is_told(store: Store, make_run: Callable[..., int]) -> None:
    """Exit code 5, or 0."""
    make_run(store, "base", GOOD[:10])
    make_run(store, "now", GOOD[:10])
    rule = GateRule(mode=Mode.NONINFERIORITY)
    failing = _gate(store, rule)
    assert ("inconclusive", 5) == (failing.decision, failing.exit_code)
    passing = _gate(store, rule, on_inconclusive="pass")
    assert ("inconclusive", 0) == (passing.decision, passing.exit_code)
    assert "pass" == _gate(store, GateRule(mode=Mode.NONINFERIORITY, max_drop=0.3)).decision


def test_unfair_pairs_are_refused_and_waivers_are_kept(store: Store, make_run: Callable[..., int]) -> None:
    """As in `compare`."""
    make_run(store, "base", GOOD)
    make_run(store, "now", GOOD, meta={"model": "m", "temperature": "0.2", "top_p": "0.95", "max_tokens": "512"})
    with pytest.raises(NotComparableError, match=r"temperature 0\.8 \(base\), 0\.2 \(now\)"):
        _gate(store)
    document = _gate(store, waive=("temperature",))
    assert ["temperature"] == [one.condition for one in document.pairs[0].waived]
    assert "waived: temperature differs" in document.warnings[0]


def test_baselines(store: Store, make_run: Callable[..., int], tmp_path: Path) -> None:
    """The newest finished run of a branch, and an exported document, decide as the run does."""
    make_run(store, "old", BAD, meta=META | {"branch": "main"})
    make_run(store, "base", GOOD, meta=META | {"branch": "main"})
    make_run(store, "now", BAD, meta=META | {"branch": "fix"})
    by_name = _gate(store)
    by_branch = _gate(store, base=("branch:main",))
    assert by_name.checks == by_branch.checks
    assert "base" == by_branch.pairs[0].baseline
    write_json(summarise(store, "base"), tmp_path / "base.json")
    assert by_name.checks == _gate(store, base=(str(tmp_path / "base.json"),)).checks
    same_name = _renamed(tmp_path / "base.json", "now", temperature="0.2")
    (waived,) = _gate(store, base=(same_name,), waive=("temperature",)).pairs[0].waived
    assert {"now": "0.8", "now (base.json)": "0.2"} == waived.values
    with pytest.raises(UsageError, match=r"branches in store .*: fix, main; judge with --meta branch=dev"):
        _gate(store, base=("branch:dev",))
    with pytest.raises(UsageError, match="its own baseline"):
        _gate(store, base=("now",))
    with pytest.raises(UsageError, match="no baseline"):
        _gate(store, base=())


def _renamed(path: Path, run: str, **changed: str) -> str:
    """The same document of a run of another name and other conditions, in the same place."""
    document = msgspec.json.decode(path.read_bytes(), type=JudgeDocument)
    conditions = document.conditions | changed
    write_json(msgspec.structs.replace(document, run=run, conditions=conditions), path)
    return str(path)


def test_the_newest_run_of_a_branch_is_not_the_current_one(store: Store, make_run: Callable[..., int]) -> None:
    """On the branch itself, the run before is the baseline."""
    make_run(store, "first", GOOD, meta=META | {"branch": "main"})
    make_run(store, "now", GOOD, meta=META | {"branch": "main"})
    assert "first" == _gate(store, base=("branch:main",)).pairs[0].baseline


def test_several_sets_each_and_pooled(
    store: Store, make_run: Callable[..., int], make_problems: Callable[..., Any]
) -> None:
    """Paired by their set, each checked and all together, with Holm over the three."""
    for name in ("one", "two"):
        problems = make_problems(30, name)
        make_run(store, f"base-{name}", GOOD, problem_set=problems)
        make_run(store, f"now-{name}", BAD if name == "two" else GOOD, problem_set=problems)
    document = _gate(store, currents=("now-two", "now-one"), base=("base-one", "base-two"))
    assert ["two", "one", "pooled"] == [check.set for check in document.checks]
    assert [30, 30, 60] == [check.problems for check in document.checks]
    assert holm([check.p for check in document.checks]).tolist() == [check.p_holm for check in document.checks]
    assert ["regression", "pass", "regression"] == [check.decision for check in document.checks]
    only = _gate(store, GateRule(set="one"), currents=("now-two", "now-one"), base=("base-one", "base-two"))
    assert ["one"] == [check.set for check in only.checks]
    with pytest.raises(UsageError, match="no baselines of problem set 'two'"):
        _gate(store, currents=("now-two", "now-one"), base=("base-one", "base-one"))
    with pytest.raises(UsageError, match="no run of problem set 'three'"):
        _gate(store, GateRule(set="three"), currents=("now-one",), base=("base-one",))


def test_slices_and_metrics(store: Store, make_run: Callable[..., int]) -> None:
    """Each difficulty, a tag, pass@2 and pass^2, each with its own margin."""
    make_run(store, "base", GOOD)
    make_run(store, "now", BAD)
    document = _gate(
        store,
        GateRule(metric="pass@2", max_drop="0.05"),
        GateRule(metric="pass^2", max_drop=0.5),
        GateRule(slice="difficulty"),
        GateRule(slice="tag=third"),
    )
    assert [
        ("pass@2", "", 30),
        ("pass^2", "", 30),
        ("pass@1", "difficulty=easy", 15),
        ("pass@1", "difficulty=hard", 15),
        ("pass@1", "tag=third", 10),
    ] == [(check.metric, check.slice, check.problems) for check in document.checks]
    assert [0.05, 0.5, 0.01] == [check.margin for check in document.checks][:3]
    assert all(check.p_holm >= check.p for check in document.checks)


def test_tokens_cost_and_latency_where_samples_carry_them(store: Store, make_run: Callable[..., int]) -> None:
    """More is worse: a rise by half fails, by nothing passes; samples without are an error."""
    for name, factor in (("base", 2), ("now", 3)):
        make_run(
            store,
            name,
            GOOD,
            sampled=lambda problem, index, factor=factor: {
                "completion_tokens": factor * (100 + problem + index),
                "cost_usd": 0.001 * (1 + problem % 3 + index),
                "latency_s": (1 + problem % 5) / factor,
            },
        )
    document = _gate(
        store,
        GateRule(metric="tokens", max_rise=0.1),
        GateRule(metric="cost", max_rise="0.05"),
        GateRule(metric="latency"),
    )
    tokens, cost, latency = document.checks
    assert ("regression", "pass", "pass") == (tokens.decision, cost.decision, latency.decision)
    assert -1 / 3 == pytest.approx(latency.difference)
    assert 0.5 == pytest.approx(tokens.difference)
    assert 0.0 == pytest.approx(cost.difference, abs=1e-12)
    assert tokens.rises
    with pytest.raises(UsageError, match="120 of 120 samples of run 'base' carry none"):
        _gate(store, GateRule(metric="prompt_tokens"))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (GateRule(metric="pass@0"), "take pass@K, pass\\^K, tokens, prompt_tokens, cost, latency"),
        (GateRule(metric="speed"), "metric 'speed'"),
        (GateRule(metric="tokens", max_drop=0.1), "give max_rise"),
        (GateRule(slice="colour=red"), "slice 'colour=red'"),
        (GateRule(slice="tag=none"), "no common problem has tag=none"),
        (GateRule(max_drop="much"), "'much' is no number"),
        (GateRule(max_drop=2.0), "margin 2"),
        (GateRule(alpha=0.9), "alpha 0.9"),
        (GateRule(metric="pass@5"), "pass@5 needs 5 samples of each problem in both runs, and 30 problems have"),
    ],
)
def test_wrong_rules(store: Store, make_run: Callable[..., int], rule: GateRule, message: str) -> None:
    """Each in one line."""
    make_run(store, "base", GOOD)
    make_run(store, "now", GOOD)
    with pytest.raises(UsageError, match=message):
        _gate(store, rule)


def test_temperature_0_has_pass_at_1_alone(store: Store, make_run: Callable[..., int]) -> None:
    """Copies have no pass@2."""
    for name in ("base", "now"):
        make_run(store, name, GOOD, meta=META | {"temperature": "0"})
    with pytest.raises(UsageError, match="pass@2 at temperature 0"):
        _gate(store, GateRule(metric="pass@2"))


def test_one_sample_a_problem(store: Store, make_run: Callable[..., int]) -> None:
    """McNemar's mid-p decides; what is detectable is simulated from both runs together."""
    make_run(store, "base", [1] * 40 + [0] * 20, 1)
    make_run(store, "now", [0] * 12 + [1] * 28 + [1] * 2 + [0] * 18, 1)
    document = _gate(store)
    assert "regression" == document.decision
    assert 10 / 60 == pytest.approx(-document.checks[0].difference)
    assert "permuted" == document.checks[0].method
