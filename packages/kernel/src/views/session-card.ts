// A status card always has every field: clients merge it into the previous one and would otherwise keep stale values.

import type { Json, JsonObject } from '@bridle/events/json'
import type { Payloads } from '@bridle/events/schemas'
import type { EngineIdentity } from '../engine-info.ts'
import { eventId, type Key } from '../event.ts'
import { cursorText } from '../positions/cursor.ts'
import type { SessionState } from '../projections/state.ts'
import { keptFacts, stateFields } from './session-fields.ts'
import { APPROVAL_MODE, PERMISSION_MODE, POLICY_PATH } from './turn-runtime.ts'
import { modelOf } from './work-progress.ts'

export const sessionStateCard = (
  key: Key,
  state: SessionState,
  { engine, runnerKind }: EngineIdentity = ownEngine(key.agent),
): Payloads['session_state'] => {
  const { lifecycle: life, health } = state
  const facts = {
    ...keptFacts(state),
    updatedAt: state.at,
    // A session that writes a card during a run is alive; the fold rounds its last activity to seconds.
    heartbeatAt: Math.max(health.activeAt, life.run ? state.at : 0) || null,
    approvalId: firstOpenApprovalId(state),
  }
  return {
    provider: life.runtime.provider,
    permission_mode: PERMISSION_MODE,
    approval_mode: APPROVAL_MODE,
    think_level: null,
    policy_path: POLICY_PATH,
    sandbox_mode: life.sandbox?.mode ?? null,
    sandbox_isolation: life.sandbox?.isolation ?? null,
    workspace_id: null,
    task_graph_id: null,
    engine,
    runner_kind: runnerKind,
    ...life.settings,
    ...(life.runtime.isFallback && { provider: life.runtime.provider }),
    model: modelOf(state),
    session_id: key.id,
    agent_profile: key.agent,
    process_id: processOf(life.run?.handle),
    ...stateFields(facts),
    resume_context: resumeContext(key, state),
  }
}

/** To detect a changed process or model. Both may become known after the start of a run. */
export const runtimeText = ({ lifecycle: { run, runtime } }: SessionState): string =>
  JSON.stringify([processOf(run?.handle), runtime.provider, runtime.model])

export const firstOpenApprovalId = ({ approvals: { open } }: SessionState): string | null =>
  Object.keys(open)[0] ?? null

/** For runners without an identity. */
const ownEngine = (agent: string): EngineIdentity => ({ engine: agent, runnerKind: 'in_process' })

/** Operators look for a run by its sandbox. */
const processOf = (handle: Json | undefined): string | null => {
  const sandbox = (handle as JsonObject | null | undefined)?.sandbox
  return typeof sandbox === 'string' ? sandbox : null
}

const resumeContext = (key: Key, { resumePoints }: SessionState): JsonObject | null => {
  const last = resumePoints.at(-1)
  return last
    ? { kind: last.kind, event_id: eventId(last.seq), resume_cursor: cursorText(last.kind, key.id, last.seq) }
    : null
}
