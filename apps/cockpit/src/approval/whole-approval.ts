// The whole of an approval. A list cuts long arguments; nobody approves what the card does not have.
import { useServer } from '../server/server-context.tsx'
import { useLoaded } from '../server/use-loaded.ts'
import { approvalKey, askedAt, type CardApproval, type CardSession } from './card-approval.ts'

export type WholeApproval =
  | { readonly type: 'whole'; readonly approval: CardApproval }
  | { readonly type: 'loading' }
  /** The session no longer has it among the open ones. */
  | { readonly type: 'gone' }
  | { readonly type: 'failed'; readonly error: Error; readonly reload: () => void }

export const useWholeApproval = (approval: CardApproval, session: CardSession): WholeApproval => {
  const { client } = useServer()
  const asked = askedAt(approval, session)
  const isPart = approval.args === null || approval.isCut === true
  const key = isPart && !approval.settlement ? approvalKey(session, approval.id) : null
  const { data, error, reload } = useLoaded(key, () => client.session(asked.session.id, asked.session.agent))
  if (key === null) return { type: 'whole', approval }
  if (!data) return error ? { type: 'failed', error, reload } : { type: 'loading' }
  const found = data.approvals.find(({ id }) => id === asked.approvalId)
  return found
    ? { type: 'whole', approval: { ...approval, ...found, id: approval.id, isCut: false } }
    : { type: 'gone' }
}
