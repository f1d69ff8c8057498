import { type Json, present } from '@bridle/events/json'
import { SESSION_MEMORY_KEY_CHARS_MAX, TIME_MAX } from '@bridle/events/limits'
import { type Command, isRefusal } from '@bridle/kernel/commands'
import { isRemembered, type Memory } from '@bridle/kernel/projections/memory'
import { isoOrNull } from '@bridle/kernel/views/session-fields'
import type { AcceptedValue, MemoryPage, MemoryReceipt } from '@bridle/wire/http/wire'
import { proposalsOf } from '@bridle/wire/views/proposals'
import * as v from 'valibot'
import { actorField } from '../access/users.ts'
import { json } from '../answers/answer-schema.ts'
import { memoryPageAnswer, memoryReceiptAnswer } from '../answers/memory-answers.ts'
import { badRequest, isDenial, partNotFound } from '../denials/denial.ts'
import { refusalDenial } from '../denials/kernel-denials.ts'
import { publicPath } from '../denials/public-path.ts'
import { commandIdOf } from '../requests/command-id.ts'
import { optionalField, optionsType, reasonFields } from '../requests/request-fields.ts'
import { get, post, type Route } from '../router/route.ts'
import { findKey, onSession, requireKey } from './routes.ts'

const decisionBody = optionsType(
  'MemoryDecisionOptions',
  'Settings of the decision about a value that an agent proposes for its memory.',
  {
    decision: v.picklist(['accept', 'reject']),
    key: optionalField(
      'Another key than the proposed one; with `accept` only, as are the next two.',
      v.pipe(v.string(), v.minLength(1), v.maxLength(SESSION_MEMORY_KEY_CHARS_MAX)),
    ),
    value: optionalField('Another value than the proposed one.', v.unknown() as v.GenericSchema<unknown, Json>),
    ttlMs: optionalField(
      'The time after which the value is forgotten. Default: never.',
      v.pipe(v.number(), v.minValue(1), v.maxValue(TIME_MAX)),
    ),
    ...reasonFields,
  },
)

export const memoryRoutes: readonly Route[] = [
  get('/sessions/:id/memory', {
    scope: 'observe',
    summary: 'Values of the session’s memory that people accepted, with their source, and the proposals of its agent',
    call: 'memory',
    session: findKey,
    answers: { 200: memoryPageAnswer },
    handle: onSession(async (session, call) => {
      const { memory } = session.state
      return json<MemoryPage>({
        memory: acceptedValues(memory, call.ports.clock.now()),
        proposals: proposalsOf(memory),
      })
    }),
  }),
  post('/sessions/:id/memory/:proposalId', {
    // An accepted value is input for every later turn, so it needs `operate`, like a signal.
    scope: 'operate',
    summary: 'Accept or reject a value that the agent proposes for its memory',
    call: 'decideMemory',
    session: findKey,
    body: decisionBody,
    headers: ['Idempotency-Key'],
    answers: { 200: memoryReceiptAnswer },
    handle: async (call) => {
      const { decision, key, value, ttlMs, reason, actor } = call.body
      const edits = present({ key, value, ttlMs })
      if (decision === 'reject' && Object.keys(edits).length > 0)
        return badRequest(`body: ${Object.keys(edits)[0]}: A rejection keeps nothing. Leave it out`)
      const command = {
        type: 'decide_memory',
        proposalId: call.param('proposalId'),
        decision,
        ...edits,
        ...present({ reason }),
        ...actorField(call.access, actor),
      } as const satisfies Command
      const id = commandIdOf(call.request, command)
      if (isDenial(id)) return id
      const session = requireKey(call)
      const outcome = await call.ports.host.send(session, command, id)
      if (!isRefusal(outcome)) return json<MemoryReceipt>({ ok: true, ...outcome })
      if (outcome.refused !== 'proposal_not_found') return refusalDenial(outcome, session.id)
      const list = publicPath(call.request, `/sessions/${session.id}/memory`)
      return partNotFound('proposal', command.proposalId, `GET ${list} lists them`)
    },
  }),
]

/** Values that an agent stored without a proposal are private to it. */
const acceptedValues = ({ entries }: Memory, now: number): AcceptedValue[] =>
  Object.entries(entries).flatMap(([key, entry]) => {
    const { at, runId, proposalId, actor } = entry.source
    if (proposalId === null || !isRemembered(entry, now)) return []
    const expiresAt = isoOrNull(entry.expiresAt)
    const acceptedAt = new Date(at).toISOString()
    return [{ key, value: entry.value, expiresAt, proposalId, runId, acceptedAt, acceptedBy: actor }]
  })
