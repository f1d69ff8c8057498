import { present } from '@bridle/events/json'
import { isRefusal } from '@bridle/kernel/commands'
import { eventId } from '@bridle/kernel/event'
import { isOwnPosition, parseCursor, positionInLog } from '@bridle/kernel/positions/cursor'
import { parseEventId } from '@bridle/kernel/positions/log-position'
import type { Session } from '@bridle/kernel/session/session'
import type { BranchReceipt } from '@bridle/wire/frontend/wire'
import { requiredId } from '@bridle/wire/http/wire/request-values'
import * as v from 'valibot'
import { isOtherUsersId, isOtherUsersSession, ownerField } from '../http/access/users.ts'
import { badRequest, type Denial, isDenial, sessionNotFound } from '../http/denials/denial.ts'
import { refusalDenial } from '../http/denials/kernel-denials.ts'
import { commandKey, idempotencyKey } from '../http/requests/command-id.ts'
import { optionalField, optionalText, optionsType, reasonFields } from '../http/requests/request-fields.ts'
import type { RouteCall } from '../http/router/route.ts'
import { continuationFields, continuationWorkspace, continuedSettings } from '../http/sessions/import-confirmation.ts'
import { respondWithCard } from '../http/sessions/routes.ts'
import { sessionTitle } from '../http/sessions/session-settings.ts'
import { discardAndDeny, prepareWorkspace } from '../http/workspaces/session-workspace.ts'
import { newSessionId, userPart } from './new-session-key.ts'

const branchFields = {
  from_event_id: optionalField(
    'The event to branch from.',
    v.union([v.string(), v.pipe(v.number(), v.integer(), v.minValue(1))]),
  ),
  resume_cursor: optionalText('The cursor to branch from.'),
  prompt: optionalText('The prompt of the new session; absent: it waits for one.'),
  title: optionalField('The title of the new session.', sessionTitle),
  session_id: optionalField('The id of the new session. Default: the server chooses one.', requiredId),
  ...reasonFields,
  ...continuationFields,
}
type BranchBody = v.InferOutput<v.ObjectSchema<typeof branchFields, undefined>>

export const branchBody = optionsType(
  'BranchRequest',
  'A point to branch from, and what the new session is asked.',
  branchFields,
)

type BranchOrigin = Pick<BranchBody, 'from_event_id' | 'resume_cursor'>

export const hasBranchOrigin = (body: BranchOrigin): boolean =>
  body.from_event_id !== undefined || body.resume_cursor !== undefined

export const branchFrom = async (
  call: RouteCall<unknown, unknown>,
  session: Session,
  {
    isActorClaimed,
    ...branch
  }: Omit<BranchBody, 'prompt'> & {
    readonly isActorClaimed?: true
    /** Null: repeat the parent's last prompt. Absent: start no run. */
    readonly prompt?: string | null | undefined
  },
): Promise<Response | Denial> => {
  const seq = branchSeq(session, branch)
  if (isDenial(seq)) return seq
  const { request, access, ports } = call
  const commandId = idempotencyKey(request)
  if (isDenial(commandId)) return commandId
  const { kind } = session.state.lifecycle
  const childId =
    branch.session_id ??
    (await newSessionId(kind === 'chat' ? 'chat' : 'bg', [session.key, ...userPart(access), commandId]))
  const key = { ...session.key, id: childId }
  if (await isOtherUsersId(access, childId)) return sessionNotFound(childId)
  if (
    branch.session_id !== undefined &&
    (await isOtherUsersSession(access, key, ports.relatedSessions ?? ports.directory))
  )
    return sessionNotFound(childId)
  if (branch.session_id !== undefined && (await ports.relatedSessions?.livesElsewhere(key)))
    return refusalDenial({ refused: 'session_exists', message: 'The session exists already.' })
  const isNew = (await ports.directory.find(key.tenant, childId)).length === 0
  const workspace = await continuationWorkspace(ports, session, branch, isNew)
  if (isDenial(workspace)) return workspace
  const settings = continuedSettings(session, workspace)
  const prepared = isNew
    ? await prepareWorkspace(call, key, settings, { kind, ...(!workspace && { parent: session.key }) })
    : null
  if (isDenial(prepared)) return prepared
  const { prompt, title, reason, actor, resume_cursor: cursor } = branch
  // `wish` is part of a stored hash, so renaming it would break keys repeated across an upgrade.
  const id = commandKey(commandId, { seq, wish: branch })
  const answer = await ports.host.branch(session.key, seq, childId, {
    ...(await ownerField(access)),
    // The log stores no incarnation; each wire adds the current one.
    ...(cursor !== undefined && { cursor: cursor.replace(/~\d+$/, '') }),
    ...present({ title, prompt, reason, promptsDigest: branch.prompts_digest }),
    ...(actor !== undefined && { actor, ...(isActorClaimed && { isActorClaimed }) }),
    ...(workspace && { settings }),
    ...(prepared && { settings: prepared.settings, artifacts: prepared.artifacts }),
    ...(id && { id }),
  })
  if (isRefusal(answer)) return discardAndDeny(prepared, answer, session.key.id)
  return respondWithCard<BranchReceipt>(call, key, answer, { status: 201, path: `/sessions/${childId}` })
}

const branchSeq = (session: Session, { from_event_id, resume_cursor }: BranchOrigin): number | Denial => {
  const { key, state, incarnations } = session
  const cursor = resume_cursor === undefined ? undefined : parseCursor(resume_cursor)
  if (cursor === null) return badRequest('body: resume_cursor: Expected <kind>:<session>:<seq>')
  if (cursor && !isOwnPosition(cursor, key.id, session.parent))
    return badRequest('body: resume_cursor: It is a cursor of another session')
  const event = from_event_id === undefined ? undefined : parseEventId(String(from_event_id))
  if (event === null) return badRequest('body: from_event_id: Expected ev-<seq>')
  if (cursor && event !== undefined && event.seq !== cursor.seq)
    return badRequest('body: from_event_id and resume_cursor name different events')
  const position = event ?? (cursor && positionInLog(cursor, key.id, incarnations))
  if (position === undefined) return badRequest('body: Say where: from_event_id or resume_cursor')
  const { seq, incarnation } = position
  if (incarnation !== incarnations.own)
    return badRequest(
      `The event is of another incarnation of this session, whose log was lost and goes on differently; it ends at ${eventId(state.head, incarnations.own)}. Read the session again.`,
    )
  if (seq > state.head || seq < state.lifecycle.firstSeq)
    return badRequest(`There is no event ${seq} in this session; it ends at ${eventId(state.head, incarnations.own)}.`)
  return seq
}
