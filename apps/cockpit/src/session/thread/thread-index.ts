// The index has what the events of a session add to its messages: times and waves of calls, and the markers between them. A marker stands by the
// call, artifact or compaction before or after it: its anchor. placed-markers.ts moves it into the text where the answer notes its place.
import type { FrontendQuestion, FrontendState, TimelineEntry } from 'bridle/client'
import { eventPlaces, placeOf } from './event-places.ts'

export interface CallTimes {
  /** In ms since 1970; null where the event is too long ago to be on the page. */
  readonly startedAt: number | null
  readonly elapsedMs: number | null
  readonly reason: string | null
  /** The subagent that made the call. */
  readonly agentId: string | null
  /** The question that it asks; null = it asks none. */
  readonly question: FrontendQuestion | null
}

export interface CallWave {
  readonly wave: number | null
  readonly calls: number
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** An event that the thread shows between text and calls. */
export interface Marker extends TimelineEntry {
  /** An engine said it of itself; the session did not record it. */
  readonly isHearsay: boolean
  /** Only in the marker of a branch. */
  readonly checkpoints?: BranchCheckpoints
}

/** The numbers of the checkpoint that a branch was made from, and of the one that it begins with; absent where the page has no such event. */
export interface BranchCheckpoints {
  readonly source?: number | undefined
  readonly own?: number | undefined
}

/** A marker in a text, behind so many characters of it. */
export interface TextMarker {
  readonly at: number
  readonly marker: Marker
}

export interface TurnMarkers {
  readonly atStart: readonly Marker[]
  /** By anchor. */
  readonly before: ReadonlyMap<string, readonly Marker[]>
  readonly after: ReadonlyMap<string, readonly Marker[]>
  /** By the anchor of the text. */
  readonly inText: ReadonlyMap<string, readonly TextMarker[]>
  readonly atEnd: readonly Marker[]
  /** The texts of reflections, in order: the message has them among its thoughts. */
  readonly reflections: readonly string[]
  readonly compactions: readonly Marker[]
}

export interface ThreadIndex {
  readonly calls: ReadonlyMap<string, CallTimes>
  readonly waves: ReadonlyMap<string, CallWave>
  readonly turns: ReadonlyMap<string, TurnMarkers>
  /** Markers before the first turn that the page knows. */
  readonly head: readonly Marker[]
}

/** A call's id is unique in its turn alone. */
export const callKey = (turnId: string | undefined | null, toolCallId: string): string =>
  `${turnId ?? ''} ${toolCallId}`

export const emptyTurnMarkers: TurnMarkers = {
  atStart: [],
  before: new Map(),
  after: new Map(),
  inText: new Map(),
  atEnd: [],
  reflections: [],
  compactions: [],
}

export const emptyThreadIndex: ThreadIndex = { calls: new Map(), waves: new Map(), turns: new Map(), head: [] }

export const threadIndex = (events: FrontendState): ThreadIndex => {
  const calls = new Map<string, CallTimes>()
  for (const { turnId, tools } of events.turns)
    for (const { toolCallId, outcome, question } of tools)
      calls.set(callKey(turnId, toolCallId), {
        startedAt: null,
        elapsedMs: outcome?.elapsed_ms ?? null,
        reason: outcome?.reason ?? null,
        agentId: null,
        question,
      })
  const waves = new Map<string, CallWave>()
  const turns = new Map<string, MutableTurn>()
  const head: Marker[] = []
  let current: MutableTurn | null = null
  for (const entry of withBranchCheckpoints(entriesOf(events))) {
    const turn: MutableTurn | null = entry.turnId === null ? current : turnOf(turns, entry.turnId)
    if (entry.turnId !== null) current = turn
    noteCall(calls, entry)
    noteWave(waves, entry)
    if (turn) placeIn(turn, entry)
    else if (isMarker(entry)) head.push(entry)
  }
  for (const turn of turns.values()) turn.atEnd.push(...turn.waiting.splice(0))
  return { calls, waves, turns, head }
}

interface MutableTurn {
  readonly atStart: Marker[]
  readonly before: Map<string, Marker[]>
  readonly after: Map<string, Marker[]>
  readonly inText: TurnMarkers['inText']
  readonly atEnd: Marker[]
  readonly reflections: string[]
  readonly compactions: Marker[]
  /** Markers that wait for the anchor behind them. */
  readonly waiting: Marker[]
  lastAnchor: string | null
}

const turnOf = (turns: Map<string, MutableTurn>, turnId: string): MutableTurn => {
  const turn = turns.get(turnId) ?? {
    ...{ atStart: [], before: new Map(), after: new Map(), inText: new Map(), atEnd: [] },
    ...{ reflections: [], compactions: [], waiting: [], lastAnchor: null },
  }
  turns.set(turnId, turn)
  return turn
}

/** Both lists by number. A type that is otherwise in the timeline stands among the diagnostics only where an engine said it. */
const entriesOf = ({ timeline, diagnostics }: FrontendState): Marker[] =>
  [
    ...timeline.map((entry) => ({ ...entry, isHearsay: false })),
    ...diagnostics.map((entry) => ({ ...entry, isHearsay: isTimelineType(entry.type) })),
  ].sort((one, other) => one.seq - other.seq)

const DIAGNOSTIC_MESSAGE_TYPES = new Set(['turn_start', 'tool_batch', 'usage', 'artifact_published'])

const isTimelineType = (type: string): boolean =>
  Object.hasOwn(eventPlaces, type) && placeOf(type) !== 'inspector' && !DIAGNOSTIC_MESSAGE_TYPES.has(type)

const isMarker = (entry: Marker): boolean =>
  entry.isHearsay || (MARKER_PLACES.has(placeOf(entry.type)) && !isBranchSeed(entry))

/** A branch writes its beginning as a checkpoint too: the marker of the branch has said where it comes from. */
const isBranchSeed = (entry: Marker): boolean =>
  entry.type === 'session_checkpoint' && textIn(entry, 'checkpoint_type') === 'resume_seed'

/** The thread leaves out the checkpoint that a branch begins with: without its number in the marker, the numbers on the page would have a gap. */
const withBranchCheckpoints = (entries: readonly Marker[]): readonly Marker[] =>
  entries.map((entry, index) => {
    if (entry.type !== 'branched' || entry.isHearsay) return entry
    const { parent } = entry.payload as { readonly parent?: { readonly seq?: unknown } }
    // A branch has the events of its parent under their numbers.
    const source = numberOf(entries.slice(0, index).find(({ seq }) => seq === parent?.seq))
    return { ...entry, checkpoints: { source, own: numberOf(entries.slice(index).find(isBranchSeed)) } }
  })

const numberOf = (entry: Marker | undefined): number | undefined => {
  if (entry?.type !== 'session_checkpoint' || entry.isHearsay) return undefined
  const { sequence } = entry.payload as { readonly sequence?: unknown }
  return typeof sequence === 'number' ? sequence : undefined
}

const MARKER_PLACES = new Set(['opening', 'closing', 'aside'])

const textIn = (entry: TimelineEntry, name: string): string | null => {
  const value = (entry.payload as { readonly [name: string]: unknown })[name]
  return typeof value === 'string' ? value : null
}

const noteCall = (calls: Map<string, CallTimes>, entry: Marker): void => {
  const id = entry.type === 'tool_call' && !entry.isHearsay ? textIn(entry, 'tool_call_id') : null
  if (id === null) return
  const known = calls.get(callKey(entry.turnId, id)) ?? { elapsedMs: null, reason: null, question: null }
  const startedAt = Date.parse(entry.timestamp)
  calls.set(callKey(entry.turnId, id), { ...known, startedAt, agentId: textIn(entry, 'agent_id') })
}

const noteWave = (waves: Map<string, CallWave>, entry: Marker): void => {
  if (entry.type !== 'tool_batch') return
  const { tool_call_ids: ids, wave } = entry.payload as { readonly tool_call_ids?: unknown; readonly wave?: unknown }
  if (!Array.isArray(ids) || ids.length < 2) return
  ids.forEach((id: unknown, at) => {
    waves.set(callKey(entry.turnId, String(id)), {
      wave: typeof wave === 'number' ? wave : null,
      calls: ids.length,
      isFirst: at === 0,
      isLast: at === ids.length - 1,
    })
  })
}

const placeIn = (turn: MutableTurn, entry: Marker): void => {
  const anchor = entry.isHearsay ? null : anchorOf(turn, entry)
  if (anchor !== null) return moveTo(turn, anchor)
  if (!isMarker(entry)) {
    if (entry.type === 'reflection') turn.reflections.push(textIn(entry, 'text') ?? '')
    return
  }
  // An answer stands before the call that it lets run; an approval that is cancelled lets nothing run, and ends with its turn.
  const isCancelled = entry.type === 'approval_applied' && textIn(entry, 'decision') === 'cancelled'
  const asked = entry.type === 'approval_applied' && !isCancelled ? textIn(entry, 'tool_call_id') : null
  if (asked) return addTo(turn.before, callAnchor(asked), entry)
  if (isCancelled || placeOf(entry.type) !== 'opening') turn.waiting.push(entry)
  else addBehind(turn, entry)
}

export const callAnchor = (toolCallId: string): string => `call ${toolCallId}`
export const artifactAnchor = (artifactId: string): string => `artifact ${artifactId}`
export const textAnchor = (place: number): string => `text ${place}`
export const thoughtAnchor = (place: number): string => `thought ${place}`
export const compactionAnchor = (place: number): string => `compaction ${place}`

/** The events that a message has a part for. */
const anchorOf = (turn: MutableTurn, entry: Marker): string | null => {
  if (entry.type === 'tool_call') return callAnchor(textIn(entry, 'tool_call_id') ?? '')
  if (entry.type === 'artifact_published')
    return BOOKKEEPING.has(textIn(entry, 'kind') ?? '') ? null : artifactAnchor(textIn(entry, 'artifact_id') ?? '')
  return entry.type === 'context_compacted' ? compactionAnchor(turn.compactions.push(entry) - 1) : null
}

/** Kinds of artifacts that the server publishes for a run. They are no part of its answer, so nothing can stand by them. */
const BOOKKEEPING = new Set(['final_output', 'run_record', 'spoken_audio'])

/** The markers that waited stand before the anchor, or behind the one that they followed. */
const moveTo = (turn: MutableTurn, anchor: string): void => {
  for (const entry of turn.waiting.splice(0)) {
    if (placeOf(entry.type) === 'aside' && !entry.isHearsay) addBehind(turn, entry)
    else addTo(turn.before, anchor, entry)
  }
  turn.lastAnchor = anchor
}

const addBehind = (turn: MutableTurn, entry: Marker): void => {
  if (turn.lastAnchor === null) turn.atStart.push(entry)
  else addTo(turn.after, turn.lastAnchor, entry)
}

const addTo = (places: Map<string, Marker[]>, anchor: string, entry: Marker): void =>
  void places.set(anchor, [...(places.get(anchor) ?? []), entry])
