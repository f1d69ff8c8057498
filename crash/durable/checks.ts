// Compares the log of a session with the effects that really happened. Nothing here knows where the kills struck.
import type { AnyEvent, Event } from '@bridle/kernel/event'
import type { EffectLine } from './effects.ts'
import { type CallName, toolEffects, toolOf } from './plan.ts'
import type { DurableSession, SessionRecord } from './world.ts'

/** Violations of what a durable run promises, as sentences. */
export const problemsOf = (
  session: DurableSession,
  { events }: SessionRecord,
  lines: readonly EffectLine[],
): string[] =>
  session.plans.flatMap(({ place }, index) => {
    const runId = ofType(events, 'run_requested')[index]?.payload.run_id
    if (runId === undefined) return [`${place}: the run was not requested`]
    const run = events.filter((event) => runOf(event) === runId)
    return [
      ...endProblems(run),
      ...callProblems(run),
      ...approvalProblems(run),
      ...effectProblems(run, lines, place),
    ].map((problem) => `${place}: ${problem}`)
  })

/** How often each effect of a run began. */
export const effectCounts = (lines: readonly EffectLine[], place: string): { [name: string]: number } => {
  const counts: { [name: string]: number } = {}
  for (const line of lines)
    if (line.place === place && line.phase === 'begin') counts[line.name] = (counts[line.name] ?? 0) + 1
  return counts
}

const ofType = <T extends AnyEvent['type']>(events: readonly AnyEvent[], type: T): Event<T>[] =>
  events.filter((event) => event.type === type) as unknown as Event<T>[]

const runOf = (event: AnyEvent): string | undefined => {
  const { run_id, turn_id } = event.payload as { run_id?: string; turn_id?: string }
  return event.run ?? run_id ?? turn_id
}

const endProblems = (run: readonly AnyEvent[]): string[] => {
  const ends = ofType(run, 'turn_end').map(({ payload }) => payload.status)
  const attempts = ofType(run, 'run_requested').length
  return [
    ...(ends.length === 1 && ends[0] === 'completed' ? [] : [`it ended as ${JSON.stringify(ends)}${reasonOf(run)}`]),
    ...(attempts === 1 ? [] : [`it took ${attempts} attempts`]),
  ]
}

const reasonOf = (run: readonly AnyEvent[]): string => {
  const [error] = ofType(run, 'error')
  return error ? `: ${JSON.stringify(error.payload)}` : ''
}

const callProblems = (run: readonly AnyEvent[]): string[] => {
  const ids = ofType(run, 'tool_call').map(({ payload }) => String(payload.tool_call_id))
  const outcomes = ofType(run, 'tool_outcome').map(({ payload }) => payload.tool_call_id)
  return [...new Set([...ids, ...outcomes])].flatMap((id) => {
    const [calls, ends] = [ids, outcomes].map((list) => list.filter((each) => each === id).length)
    return calls === 1 && ends === 1 ? [] : [`call ${id} was announced ${calls} times and has ${ends} outcomes`]
  })
}

const approvalProblems = (run: readonly AnyEvent[]): string[] => {
  const asked = ofType(run, 'approval_required')
  const decided = ofType(run, 'approval_decided').map(({ payload }) => payload.request_id)
  const unsafe = new Set(
    ofType(run, 'tool_call').flatMap(({ payload }) =>
      payload.effect === 'unsafe' ? [String(payload.tool_call_id)] : [],
    ),
  )
  const tools = asked.filter(({ payload }) => (payload.kind ?? 'tool') === 'tool')
  return [
    ...tools.flatMap(({ payload }, index) =>
      tools.findIndex((other) => other.payload.tool_call_id === payload.tool_call_id) < index
        ? [`${payload.tool_call_id} was asked about again, as ${payload.request_id}`]
        : [],
    ),
    ...asked.flatMap(({ payload: { request_id, kind, tool_call_id } }) => [
      ...(decided.filter((id) => id === request_id).length === 1 ? [] : [`${request_id} was not decided exactly once`]),
      ...(kind !== 'unknown_outcome' || unsafe.has(String(tool_call_id))
        ? []
        : [`the outcome of ${tool_call_id} was asked about, although it is safe to repeat`]),
    ]),
  ]
}

const effectProblems = (run: readonly AnyEvent[], lines: readonly EffectLine[], place: string): string[] => {
  const here = lines.filter((line) => line.place === place)
  return [...new Set(here.map(({ name }) => name))].flatMap((name) => {
    const effect = here.filter((line) => line.name === name)
    const { kind } = effect[0] as EffectLine
    const begun = effect.filter(({ phase }) => phase === 'begin')
    const keys = new Set(effect.map(({ key }) => key))
    const commits = commitsOf(run, kind, name)
    const commit = commits[0]?.at ?? Number.POSITIVE_INFINITY
    return [
      ...(keys.size === 1 ? [] : [`${name} had ${keys.size} keys: ${[...keys].join(', ')}`]),
      ...(commits.length === 1 ? [] : [`${name} is in the log ${commits.length} times`]),
      ...(begun.every(({ at }) => at <= commit) ? [] : [`${name} was done again after it was in the log`]),
      ...(kind === 'call' ? unaskedRepeats(run, name as CallName, begun.length) : []),
    ]
  })
}

/** The events that settle an effect: from then on nobody does it again. */
const commitsOf = (run: readonly AnyEvent[], kind: EffectLine['kind'], name: string): AnyEvent[] => {
  if (name === 'summary') return ofType(run, 'context_compacted') as AnyEvent[]
  if (kind === 'model') return ofType(run, 'model_step').filter((_, index) => `think-${index}` === name) as AnyEvent[]
  if (kind === 'hook') return hookCommits(run, name)
  if (kind === 'step') return ofType(run, 'step_done').filter(({ payload }) => payload.name === name) as AnyEvent[]
  const id = callIdOf(run, name)
  return ofType(run, 'tool_outcome').filter(({ payload }) => payload.tool_call_id === id) as AnyEvent[]
}

/** A decision of middleware is in the log with what follows from it: the notes, the beginning of the call, its outcome, the end of the turn. */
const hookCommits = (run: readonly AnyEvent[], name: string): AnyEvent[] => {
  const [point = '', call = ''] = name.split('-')
  if (point === 'answer') return ofType(run, 'turn_end') as AnyEvent[]
  if (point === 'start')
    return ofType(run, 'hook_event').filter(({ payload }) => payload.phase === 'start') as AnyEvent[]
  const id = callIdOf(run, call)
  const type = point === 'before' ? 'tool_call' : 'tool_outcome'
  return ofType(run, type).filter(({ payload }) => payload.tool_call_id === id) as AnyEvent[]
}

const callIdOf = (run: readonly AnyEvent[], name: string): string | undefined =>
  ofType(run, 'tool_call').find(({ payload }) => (payload.arguments as { call?: unknown }).call === name)?.payload
    .tool_call_id

const unaskedRepeats = (run: readonly AnyEvent[], name: CallName, begun: number): string[] => {
  if (toolEffects[toolOf(name)] !== 'unsafe') return []
  const id = callIdOf(run, name)
  const asked = ofType(run, 'approval_required').filter(
    ({ payload }) => payload.kind === 'unknown_outcome' && payload.tool_call_id === id,
  )
  const approved = ofType(run, 'approval_decided').filter(
    ({ payload }) =>
      payload.decision === 'approved' && asked.some((each) => each.payload.request_id === payload.request_id),
  )
  return begun <= 1 + approved.length ? [] : [`${name} was made ${begun} times with ${approved.length} agreements`]
}
