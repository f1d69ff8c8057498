// What an approval is bound to, so that nothing but what was approved is ever run.
import type { Command } from './commands.ts'
import { canonical, own } from './json.ts'
import type { Digest } from './ports.ts'
import type { Session } from './session.ts'

/** What an approval is bound to: the tool and its arguments, in canonical JSON. */
export const callDigest = (digest: Digest, tool: string, args: unknown): Promise<string> =>
  digest(canonical({ tool, arguments: args }))

/** The approval with the digest of exactly what it approves; any other command as it is. */
export const boundApproval = async (session: Session, command: Command, digest: Digest): Promise<Command> => {
  if (command.type !== 'approve' || command.decision !== 'approved') return command
  const { approvalId: id, args } = command
  // The directory may know of a question whose append is not yet folded here: what is under way comes first.
  const { open, decided } = session.state.approvals
  if (!own(open, id) && !own(decided, id)) await session.send({ type: 'tick' })
  const asked = own(session.state.approvals.open, id)
  const given = own(session.state.approvals.decided, id)
  if (asked?.kind === 'tool')
    return { ...command, digest: await callDigest(digest, asked.tool, args ?? asked.arguments) }
  // Our own questions stand for no call: there is nothing to bind, the second time as the first.
  if (!given?.requestedDigest) return command
  return { ...command, digest: args ? await callDigest(digest, given.tool, args) : given.requestedDigest }
}
