// Completes child approvals that were too large for the notice, from the session that asks.
import type { FabricClient, HarnessApproval, SessionDetail } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { cutApproval } from '../terminal/answer-fields.ts'
import type { PrintableEvent } from '../terminal/event-printer.ts'

type SessionReader = Pick<FabricClient, 'session'>
type SessionApproval = SessionDetail['approvals'][number]

/** The complete approval, or the given one if the child session cannot be read. */
export const wholeApproval = (fabric: SessionReader, approval: SessionApproval): Promise<SessionApproval> =>
  withCutFields(fabric, approval, ({ toolName, args }) => ({ toolName, args }))

export const wholeHarnessApproval = (fabric: SessionReader, approval: HarnessApproval): Promise<HarnessApproval> =>
  withCutFields(fabric, approval, ({ toolName, args }) => ({ toolName, arguments: args }))

export const withWholeApproval = async <T extends PrintableEvent>(fabric: SessionReader, event: T): Promise<T> => {
  if (event.type !== 'approval_requested') return event
  const data: PrintableEvent['data'] = event.data
  return { ...event, data: await withCutFields(fabric, data, ({ toolName, args }) => ({ subject: toolName, args })) }
}

const withCutFields = async <T extends object>(
  fabric: SessionReader,
  approval: T,
  callFields: (found: SessionApproval) => object,
): Promise<T> => {
  const place = cutApproval(approval as { readonly [name: string]: unknown })
  if (place === null) return approval
  const session = await fabric.session(place.id, place.agent).catch(() => null)
  const found = session?.approvals.find(({ id }) => id === place.approvalId)
  if (found === undefined) return approval
  const { reason, questions, schema, default: byDefault } = found
  const { id, agent, approvalId } = place
  return {
    ...{ ...approval, ...callFields(found), reason, ...present({ questions, schema, default: byDefault }) },
    // Drops `isCut`, because the approval is complete.
    child: { id, agent, approvalId },
  }
}
