// Branching: from an event, or from a cursor, into a new session that shares the history and never alters it.

import * as v from 'valibot'
import { isRefusal } from '../../kernel/commands.ts'
import { eventId } from '../../kernel/event.ts'
import { canonical, hashText } from '../../kernel/json.ts'
import { isOwnPlace, parseCursor, placeInLog } from '../../kernel/positions/cursor.ts'
import { parseEventId } from '../../kernel/positions/log-position.ts'
import type { Session } from '../../kernel/session/session.ts'
import { isAnothers, isForeign, ownerFor } from '../http/access/users.ts'
import { idempotencyKey } from '../http/requests/command-id.ts'
import { placeFor } from '../http/requests/public-path.ts'
import { badRequest, notFound, refused } from '../http/router/errors.ts'
import { type Call, optionalId } from '../http/router/route.ts'
import { standing } from '../http/sessions/routes.ts'
import { newId, ofUser } from './session-ids.ts'
import { workspaceOf } from './workspace.ts'

export const branchBody = v.looseObject({
  from_event_id: v.optional(v.union([v.string(), v.pipe(v.number(), v.integer(), v.minValue(1))])),
  resume_cursor: v.optional(v.string()),
  session_id: optionalId,
  title: v.optional(v.string()),
  prompt: v.optional(v.string()),
  reason: v.optional(v.string()),
  actor: v.optional(v.string()),
})

export interface Place {
  readonly from_event_id?: string | number | undefined
  readonly resume_cursor?: string | undefined
}

export const hasPlace = (body: Place): boolean => body.from_event_id !== undefined || body.resume_cursor !== undefined

export interface BranchWish extends Place {
  readonly session_id?: string | undefined
  readonly title?: string | undefined
  readonly reason?: string | undefined
  readonly actor?: string | undefined
  /** As for the kernel: null = what was asked last; absent = it comes to rest. */
  readonly prompt?: string | null | undefined
}

export const branchFrom = async (
  call: Call<unknown, unknown>,
  session: Session,
  wish: BranchWish,
): Promise<Response> => {
  const seq = placeIn(session, wish)
  if (seq instanceof Response) return seq
  const { request, access, ports } = call
  const commandId = idempotencyKey(request)
  if (commandId instanceof Response) return commandId
  const { kind, settings } = session.state.lifecycle
  const childId =
    wish.session_id ?? (await newId(kind === 'chat' ? 'chat' : 'bg', [session.key, ...ofUser(access), commandId]))
  const key = { ...session.key, id: childId }
  if (await isForeign(access, childId)) return notFound()
  if (wish.session_id !== undefined && (await isAnothers(access, key, ports.relatives ?? ports.directory)))
    return notFound()
  if (wish.session_id !== undefined && (await ports.relatives?.isElsewhere(key)))
    return refused({ refused: 'session_exists', message: 'The session exists already.' })
  // Nothing is prepared for a session that exists: the host refuses the branch, or knows it by its Idempotency-Key.
  const isNew = !ports.workspaces || (await ports.directory.find(key.tenant, childId)).length === 0
  const prepared = isNew ? await workspaceOf(call, key, settings, { parent: session.key }) : null
  if (prepared instanceof Response) return prepared
  const { prompt, title, reason, actor, resume_cursor: cursor } = wish
  const answer = await ports.host.branch(session.key, seq, childId, {
    ...(await ownerFor(access)),
    // The log names no incarnation; the wires add the one in which it is read.
    ...(cursor !== undefined && { cursor: cursor.replace(/~\d+$/, '') }),
    ...(title !== undefined && { title }),
    ...(prompt !== undefined && { prompt }),
    ...(reason !== undefined && { reason }),
    ...(actor !== undefined && { actor }),
    ...(prepared && { settings: prepared.settings, artifacts: prepared.artifacts }),
    ...(commandId !== null && { id: { commandId, bodyHash: hashText(canonical({ seq, wish })) } }),
  })
  if (isRefusal(answer)) {
    await prepared?.discard?.()
    return refused(answer)
  }
  return standing(call, key, answer, { status: 201, headers: { location: placeFor(request, `/sessions/${childId}`) } })
}

/** The event that the wish names. */
const placeIn = (session: Session, { from_event_id, resume_cursor }: Place): number | Response => {
  const { key, state, logs } = session
  const cursor = resume_cursor === undefined ? undefined : parseCursor(resume_cursor)
  if (cursor === null) return badRequest('body: resume_cursor: Expected <kind>:<session>:<seq>')
  if (cursor && !isOwnPlace(cursor, key.id, session.parent))
    return badRequest('body: resume_cursor: It is a cursor of another session')
  const event = from_event_id === undefined ? undefined : parseEventId(String(from_event_id))
  if (event === null) return badRequest('body: from_event_id: Expected ev-<seq>')
  if (cursor && event !== undefined && event.seq !== cursor.seq)
    return badRequest('body: from_event_id and resume_cursor name different events')
  const place = event ?? (cursor && placeInLog(cursor, key.id, logs))
  if (place === undefined) return badRequest('body: Say where: from_event_id or resume_cursor')
  const { seq, incarnation } = place
  if (incarnation !== logs.own)
    return badRequest(
      `The event is of another incarnation of this session, whose log was lost and goes on differently; it ends at ${eventId(state.head, logs.own)}. Read the session again.`,
    )
  if (seq > state.head || seq < state.lifecycle.born)
    return badRequest(`There is no event ${seq} in this session; it ends at ${eventId(state.head, logs.own)}.`)
  return seq
}
