// Questions of a child that were too large for its notice. The session that asks has them in full.
import type { FabricClient } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { cutApproval } from '../terminal/answer-fields.ts'
import type { PrintableEvent } from '../terminal/event-printer.ts'

type SessionReader = Pick<FabricClient, 'session'>

/** The approval with its question from the session that asks, or unchanged if that session cannot be read. */
export const wholeApproval = async <T extends object>(fabric: SessionReader, approval: T): Promise<T> => {
  const place = cutApproval(approval as { readonly [name: string]: unknown })
  if (place === null) return approval
  const session = await fabric.session(place.id, place.agent).catch(() => null)
  const { questions, schema, default: byDefault } = session?.approvals.find(({ id }) => id === place.approvalId) ?? {}
  return { ...approval, ...present({ questions, schema, default: byDefault }) }
}

/** The event with the question that it asks. */
export const withWholeApproval = async <T extends PrintableEvent>(fabric: SessionReader, event: T): Promise<T> =>
  event.type === 'approval_requested' ? { ...event, data: await wholeApproval(fabric, event.data) } : event
