// The reports of an agent about its work, as a detail shows them. The state has sums, steps and numbers of events; payloads are
// read from the log.

import { eventId } from '../../../kernel/event.ts'
import type { Step } from '../../../kernel/projections/reports/step.ts'
import { allSteps, currentStep, usageTotals } from '../../../kernel/views/work-progress.ts'
import type { SessionReports, SessionStep } from '../wire.ts'
import { citationsOf, contextPackOf } from './citations.ts'
import { noticesAt } from './notices.ts'
import { openProposals } from './proposals.ts'
import type { EventLookup, SessionFacts } from './session-facts.ts'

export function* reportsOf(session: SessionFacts): EventLookup<SessionReports> {
  const { state, incarnations } = session
  const { warnings, compactions, guardrail } = state.notices
  return {
    usage: usageTotals(state),
    steps: allSteps(state.steps).map((step) => stepEntry(step, incarnations.own)),
    step: currentStep(state.steps),
    citations: yield* citationsOf(session),
    context_pack: yield* contextPackOf(session),
    guardrail: guardrail === null ? null : ((yield* noticesAt(session, [guardrail]))[0] ?? null),
    context_warnings: yield* noticesAt(session, warnings),
    compactions: yield* noticesAt(session, compactions),
    memory_proposals: openProposals(state.memory),
  }
}

const stepEntry = ({ id, title, status, startedAt, endedAt, seq }: Step, incarnation: number): SessionStep => ({
  step: id,
  title,
  status,
  started_at: timeOrNull(startedAt),
  ended_at: timeOrNull(endedAt),
  event_id: eventId(seq, incarnation),
})

const timeOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
