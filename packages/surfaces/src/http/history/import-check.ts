import { LINEAGE_MAX, READ_PAGE, SESSION_CHARS_MAX } from '@bridle/events/limits'
import { eventOf } from '@bridle/history/export/entry-checks'
import { type ExportContent, type ExportedSession, tooDeepText } from '@bridle/history/export/export-reader'
import { Pace } from '@bridle/history/export/pace'
import { entryOf } from '@bridle/history/scrubbed-entry'
import { type AnyEvent, isId, type Key } from '@bridle/kernel/event'
import { fileReferences } from '@bridle/kernel/file-references'
import { mayOpen, ownerOf } from '@bridle/kernel/owner'
import { emptyState, evolveInPlace, type SessionState } from '@bridle/kernel/projections/state'
import type { Session } from '@bridle/kernel/session/session'
import type { AppPorts } from '../../app.ts'
import type { Access } from '../access/authenticate.ts'
import { refusePrivateAgent } from '../access/exposure.ts'
import { isOtherUsersId, viewerOf } from '../access/users.ts'
import { badRequest, Denial, isDenial } from '../denials/denial.ts'
import { type ImportedSettings, importedSettings } from '../sessions/session-settings.ts'
import type { ImportBudget } from './import-budget.ts'
import { rootName } from './tree-files.ts'

/** More than clocks of two servers differ. A log from further ahead would stop its session's time until then. */
const IMPORT_AHEAD_MS = 24 * 60 * 60 * 1_000
/** Folding an event costs as much as reading this many characters. */
const FOLD_CHARS = 200
/** Ids to try for a renamed session. More copies than this are a mistake. */
const RENAMES_MAX = 100

export interface PlannedImport {
  readonly exported: ExportedSession
  readonly key: Key
  readonly parent: { readonly agent: string; readonly id: string; readonly seq: number } | null
  /** The server already has these events, so nothing is written. */
  readonly isKnown: boolean
  /** The file's settings that are allowed here, and the names of the rejected ones. */
  readonly claimed: ImportedSettings
  /** State to start from; null: empty. */
  readonly before: SessionState | null
}

interface ImportContext {
  readonly ports: AppPorts
  readonly access: Access
  /** Rename sessions whose id is taken. */
  readonly renames: boolean
  readonly budget: ImportBudget
}

export const planImport = async (
  context: ImportContext,
  { sessions }: ExportContent,
): Promise<readonly PlannedImport[] | Denial> => {
  const planned = new Map<string, PlannedImport>()
  const origins = originsOf(sessions)
  const states = new Map<string, SessionState>()
  const branchPoints = new Set(origins.values())
  const taken = new Set(sessions.map(({ session }) => session.id))
  const levels = new Map<string, number>()
  const pace = new Pace(context.budget.nextTurn)
  for (const exported of sessions) {
    const { session } = exported
    const bad = await sessionDenial(context, exported)
    if (bad) return bad
    const above = session.parent && planned.get(rootName(session.parent))
    const parent = session.parent ? { ...session.parent, id: above?.key.id ?? session.parent.id } : null
    const level = await levelOf(context, session.parent, levels)
    if (level > LINEAGE_MAX) return at(exported, tooDeepText(session.id))
    levels.set(rootName(session), level)
    const origin = origins.get(exported) ?? ''
    const before = states.get(origin) ?? (await stateBefore(context, exported, pace))
    if (isDenial(before)) return before
    // Many branches may start from the same event of a session here.
    if (origin !== '') states.set(origin, before)
    const after = await foldLog({ exported, parent }, { before, pace }, (seq, state) => {
      const place = eventName(session, seq)
      const isBranchPoint = branchPoints.has(place)
      if (isBranchPoint) states.set(place, state)
      return isBranchPoint
    })
    if (isDenial(after)) return after
    const foreign = await foreignFileDenial(context, exported)
    if (foreign) return foreign
    const claimed = importedSettings(after.lifecycle.settings)
    const unfit = modelDenial(context, exported, claimed)
    if (unfit) return unfit
    const place = await placeOf(context, exported, parent, taken)
    if (isDenial(place)) return place
    taken.add(place.key.id)
    planned.set(rootName(session), { exported, parent, claimed, before: session.parent ? before : null, ...place })
  }
  return [...planned.values()]
}

const at = ({ line }: ExportedSession, message: string): Denial => badRequest(`Line ${line}: ${message}`)

const sessionDenial = async ({ ports, access }: ImportContext, exported: ExportedSession): Promise<Denial | null> => {
  const { session, entries } = exported
  if (!ports.agents.has(session.agent))
    return at(exported, `This server has no agent "${session.agent}". Start it with that agent, and import again.`)
  if (await isOtherUsersId(access, session.id))
    return at(exported, `The id "${session.id}" belongs to another user. Import it with that user's credential.`)
  const last = entries.at(-1)
  if (last && last.at > ports.clock.now() + IMPORT_AHEAD_MS)
    return badRequest(
      `Line ${exported.line + entries.length}: The time lies in the future. Set the clock of this server right.`,
    )
  if (exported.chars > SESSION_CHARS_MAX)
    return at(exported, 'The session holds more than a server keeps. Export a branch of it.')
  return refusePrivateAgent({ access, ports }, session.agent)
}

const stateBefore = async (
  { ports, access }: ImportContext,
  exported: ExportedSession,
  pace: Pace,
): Promise<SessionState | Denial> => {
  const { parent } = exported.session
  const first = exported.entries[0]?.seq ?? 1
  if (!parent) return { ...emptyState, head: first - 1 }
  const viewer = await viewerOf(access)
  const found = await ports.host.find({ tenant: access.tenant, agent: parent.agent, id: parent.id }).catch(() => null)
  const source = found && mayOpen(viewer, ownerOf(found.key, found.state)) && found.hasEvent(parent.seq) ? found : null
  if (!source)
    return at(
      exported,
      `The parent "${parent.id}" is neither in the file nor on this server up to event ${parent.seq}. Export them together.`,
    )
  let state = emptyState
  const owned = new Set<object>()
  while (state.head < parent.seq) {
    const events = (await source.read(state.head, READ_PAGE)).filter(({ seq }) => seq <= parent.seq)
    if (events.length === 0) break
    for (const event of events) {
      state = evolveInPlace(state, event, owned)
      await pace.spend(FOLD_CHARS)
    }
  }
  if ((exported.entries[0]?.at ?? 0) < state.at)
    return at(exported, 'The branch is older than its parent. Export them together.')
  return state
}

/** Number of ancestors, plus one. Ancestors on this server are looked up once. */
const levelOf = async (
  { ports, access, budget }: ImportContext,
  parent: ExportedSession['session']['parent'],
  levels: Map<string, number>,
): Promise<number> => {
  if (!parent) return 1
  const known = levels.get(rootName(parent))
  if (known !== undefined) return known + 1
  let level = 0
  for (let above: typeof parent | null = parent; above && level <= LINEAGE_MAX; level++) {
    const { agent, id }: typeof parent = above
    const session = await ports.host.find({ tenant: access.tenant, agent, id }).catch(() => null)
    above = session?.parent ?? null
    await budget.nextTurn()
  }
  levels.set(rootName(parent), level)
  return level + 1
}

/** The event that each branch starts from. It may belong to the parent's parent, if the branch starts before its parent did. */
const originsOf = (sessions: readonly ExportedSession[]): ReadonlyMap<ExportedSession, string> => {
  // Only earlier lines can be parents, so a file cannot contain a cycle.
  const parents = new Map<string, ExportedSession['session']['parent']>()
  const origins = new Map<ExportedSession, string>()
  for (const exported of sessions) {
    let { parent } = exported.session
    if (parent) {
      const { seq } = parent
      for (let above = parents.get(rootName(parent)); above && seq <= above.seq; above = parents.get(rootName(above)))
        parent = above
      origins.set(exported, eventName(parent, seq))
    }
    parents.set(rootName(exported.session), exported.session.parent)
  }
  return origins
}

/** Folds each log once. A log that does not fold must not be written, because its session could never be opened. */
const foldLog = async (
  planned: Pick<PlannedImport, 'exported' | 'parent'>,
  { before, pace }: { readonly before: SessionState; readonly pace: Pace },
  onState: (seq: number, state: SessionState) => boolean,
): Promise<SessionState | Denial> => {
  const { line } = planned.exported
  let state = before
  let owned = new Set<object>()
  // Fold the events as they are written here, because the session may be renamed.
  for (const [index, event] of eventsOf(planned).entries()) {
    try {
      state = evolveInPlace(state, event, owned)
    } catch {
      return badRequest(`Line ${line + 1 + index}: The event does not follow from those before it. Export it again.`)
    }
    // A branch continues from this state, so stop mutating it.
    if (onState(event.seq, state)) owned = new Set()
    await pace.spend(FOLD_CHARS)
  }
  return state
}

/** The operator's model limits also apply to imported sessions. */
const modelDenial = (
  { ports }: ImportContext,
  exported: ExportedSession,
  { settings: { model } }: ImportedSettings,
): Denial | null => {
  const problem = typeof model === 'string' ? ports.agents.get(exported.session.agent)?.modelProblem?.(model) : null
  return problem
    ? at(exported, `The session asks the model "${model}", which this server does not allow: ${problem}`)
    : null
}

/** A run reads every file its prompts name, so an import must not name another user's uploads. */
const foreignFileDenial = async (
  { ports, access, budget }: ImportContext,
  { entries, line }: ExportedSession,
): Promise<Denial | null> => {
  const viewer = await viewerOf(access)
  if (viewer === null || !ports.uploads) return null
  const seen = new Set<string>()
  for (const [index, { type, payload }] of entries.entries()) {
    const references = type === 'prompt_queued' || type === 'steered' ? fileReferences(payload.input) : []
    for (const { ref_id } of references) {
      const id = String(ref_id)
      if (seen.has(id)) continue
      seen.add(id)
      const upload = await ports.uploads.find(id, access.tenant)
      if (upload && !mayOpen(viewer, upload.owner))
        return badRequest(`Line ${line + 1 + index}: The file of the prompt belongs to another user.`)
      await budget.nextTurn()
    }
  }
  return null
}

const placeOf = async (
  { ports, access, renames }: ImportContext,
  exported: ExportedSession,
  parent: PlannedImport['parent'],
  taken: ReadonlySet<string>,
): Promise<Pick<PlannedImport, 'key' | 'isKnown'> | Denial> => {
  const { id, agent } = exported.session
  const { tenant } = access
  for (let copy = 1; copy <= RENAMES_MAX; copy++) {
    const key: Key = { tenant, agent, id: copy === 1 ? id : `${id}-${copy}` }
    if (!isId(key.id) || (copy > 1 && taken.has(key.id))) continue
    const found = (await ports.directory.find(tenant, key.id)).find((each) => each.key.agent === agent)
    const isElsewhere = !found && ((await ports.relatedSessions?.livesElsewhere(key)) ?? false)
    const used = found || isElsewhere ? null : await ports.host.usedSeq(key)
    if (used !== null && isFree(used, exported)) return { key, isKnown: false }
    const isOwn = found !== undefined && mayOpen(await viewerOf(access), found.owner)
    // Also matches a copy made by an earlier import, so that a truncated file can be completed.
    if (isOwn && (await hasEvents(await ports.host.find(key), eventsOf({ exported, parent }), parent)))
      return { key, isKnown: true }
    if (!renames) break
  }
  return new Denial(
    'conflict',
    `Line ${exported.line}: There is another session "${id}" here, or there was one. Import with rename=1 to give this one another id.`,
  )
}

/** Numbers used by a removed session of the id must not be reused for other events. */
const isFree = (used: number, { entries }: ExportedSession): boolean => used < (entries[0]?.seq ?? 1)

export const eventsOf = ({ exported: { entries }, parent }: Pick<PlannedImport, 'exported' | 'parent'>): AnyEvent[] =>
  entries.map((entry) => {
    const event = eventOf(entry)
    return event.type === 'branched' && parent && !event.hearsay && event.seq === parent.seq + 1
      ? { ...event, payload: { ...event.payload, parent } }
      : event
  })

const hasEvents = async (
  session: Session | null,
  wanted: readonly AnyEvent[],
  parent: PlannedImport['parent'],
): Promise<boolean> => {
  const own = session?.state.lifecycle.parent ?? null
  if (!session || own?.id !== parent?.id || own?.agent !== parent?.agent || own?.seq !== parent?.seq) return false
  let seen = (wanted[0]?.seq ?? 1) - 1
  for (let index = 0; index < wanted.length; ) {
    const events = await session.readWithContent(seen, Math.min(READ_PAGE, wanted.length - index))
    if (events.length === 0) return false
    for (const event of events) {
      const same = wanted[index]
      if (!same || JSON.stringify(entryOf(event)) !== JSON.stringify(entryOf(same))) return false
      index += 1
    }
    seen = events.at(-1)?.seq ?? seen
  }
  return true
}

const eventName = (session: { readonly id: string; readonly agent: string }, seq: number): string =>
  `${rootName(session)} ${seq}`
