import type { BranchReceipt, FabricClient } from 'bridle/client'

/** Branches from the newest place that the session names: its last checkpoint, approval or finished turn. */
export const branchSession = async (
  client: FabricClient,
  { id, agent }: { readonly id: string; readonly agent: string },
): Promise<BranchReceipt> => {
  const { resume_context: place } = await client.session(id, agent)
  if (!place) throw new Error('This session has no finished step yet from which a branch could begin.')
  return client.branch(id, { agent, resume_cursor: place.resume_cursor })
}
