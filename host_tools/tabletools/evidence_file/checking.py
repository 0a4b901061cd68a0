"""Check an evidence file by itself: what it proves, what it does not, what is wrong."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tabletools.evidence_file import content, proof, reading
from tabletools.evidence_file.content import CheckedRound
from tabletools.evidence_file.reading import Contents, Header, Malformed

_STATED = ("ledger", "table", "name", "day", "at_ns", "newest", "public_key")
"""What a report has of the header."""


class Report(NamedTuple):
    """The result; the file holds if there is no problem."""

    header: Header | None
    """What the file is about, as the host says; None for a damaged file."""
    rounds: list[CheckedRound]
    proved: list[str]
    not_proved: list[str]
    problems: list[str]

    def facts(self) -> dict[str, Any]:
        """Return it as JSON."""
        facts = self._asdict() | {"rounds": [each.as_json() for each in self.rounds]}
        del facts["header"]
        if self.header is None:
            return facts
        return {name: getattr(self.header, name) for name in _STATED} | facts


def check(file: Path, key: Ed25519PublicKey | None) -> Report:
    """Check a file. key: of the host, None for the one in the file. Raises ToolError.

    ToolError only for a file that cannot be read or is none; all else is in the report.
    """
    try:
        contents = reading.read(file)
    except Malformed as error:
        return Report(None, [], [], [], [str(error)])
    problems = list[str]()
    try:
        own = proof.key_of(contents.header.public_key)
    except ValueError:
        return Report(None, [], [], [], ["line 1: the public key in it is none"])
    signer = key or own
    if key is not None and key.public_bytes_raw() != own.public_bytes_raw():
        problems.append("line 1: another key than the one named: another host wrote the file")
    problems += proof.checkpoint_problems(contents, signer)
    problems += proof.entry_problems(contents)
    try:
        decided = proof.decisions(contents)
    except (ValueError, TypeError, KeyError, AttributeError, LookupError, RecursionError):
        decided = proof.Decisions(["audit_log: cannot be read"], frozenset(), [])
    problems += decided.problems
    try:
        findings = content.check(contents)
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        findings = content.Findings()
        findings.problems.append(f"the rows cannot be read: {error!r:.200}")
    problems += findings.problems
    if not proof.is_signed(signer, contents.signature, contents.signed):
        problems.append("the signature over the whole file is wrong: it was changed after export")
    proved = [] if problems else _proofs(contents, findings, decided)
    not_proved = _not_proved(contents, findings, decided, key)
    return Report(contents.header, findings.rounds, proved, not_proved, problems)


def _proofs(contents: Contents, findings: content.Findings, decided: proof.Decisions) -> list[str]:
    texts = [
        f"the key {contents.header.public_key[:16]} signed the whole file, unchanged since",
        f"{len(contents.parts)} entries of the chain: every row in the file is one they wrote",
        *_dates(contents),
        f"{findings.frames} frames are what their recorded fields say",
        f"{findings.settlements} settlements of {findings.bets} bets, settled again by the second"
        " settlement; postings add up",
    ]
    meters = sum(len(each.meters) for each in findings.rounds)
    if meters:
        texts.append(f"what {meters} meters of jackpots held before their rounds, and after")
    if findings.replays:
        texts.append(
            f"{findings.replays} traces replayed by the logic of the device: each comes to the"
            " record in the file"
        )
    if decided.signed:
        texts.append(f"{len(decided.signed)} decisions are signed with the keys of their users")
    return texts


def _dates(contents: Contents) -> Iterator[str]:
    """Yield when the entries were in the chain, by the clock of the host."""
    at_ns = {each.checkpoint.seq: each.checkpoint.at_ns for each in contents.checkpoints}
    late = [
        at_ns[part.proof.checkpoint] - part.entry.at_ns
        for part in contents.parts
        if part.proof is not None
    ]
    if late:
        yield (
            f"{len(late)} of them were in the chain when the host signed {len(at_ns)} checkpoints,"
            f" {max(0, *late) / 1e9:,.0f} s after it wrote them at most"
        )


def _not_proved(
    contents: Contents,
    findings: content.Findings,
    decided: proof.Decisions,
    key: Ed25519PublicKey | None,
) -> list[str]:
    texts = []
    if key is None:
        texts.append("whose key signed the file: name the public key of the host with --key")
    late: Sequence[int] = [part.entry.seq for part in contents.parts if part.proof is None]
    if late:
        texts.append(
            f"the time of {len(late)} entries, from {late[0]} on: no checkpoint has them, only"
            " the signature of the export"
        )
    texts += (f"{where}: that its user decided it: not signed" for where in decided.unsigned)
    texts += (
        f"{each}: its token is in the file, and takes the keys that the provider published"
        for each in decided.by_sign_on
    )
    return [
        *texts,
        *findings.not_proved,
        "the tags of the frames: that takes the key of the table, and who has it can forge them"
        " (`tabletool ledger verify --keys`)",
        "that nothing else about these rounds was written after entry"
        f" {contents.header.newest}; up to there the host says that this is all",
    ]
