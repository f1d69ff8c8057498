// What an approval is bound to, so that nothing but what was approved is ever run.

import type { ApproveCommand, Command } from '../commands.ts'
import { withoutCallId } from '../ids.ts'
import { canonicalJson, ownProperty } from '../json.ts'
import type { Digest } from '../ports/digest.ts'
import type { Session } from '../session/session.ts'

/** What an approval is bound to: the tool and its arguments, in canonical JSON. */
export const callDigest = (digest: Digest, tool: string, args: unknown): Promise<string> =>
  digest(canonicalJson({ tool, arguments: args }))

/** The approval with the digest of exactly what it approves; any other command as it is. */
export const bindApproval = async <C extends Command>(session: Session, command: C, digest: Digest): Promise<C> =>
  command.type === 'approve' && command.decision === 'approved'
    ? ((await bind(session, command, digest)) as C)
    : command

const bind = async (session: Session, sent: ApproveCommand, digest: Digest): Promise<ApproveCommand> => {
  const { approvalId: id } = sent
  // The log repeats the call's id among its arguments; who sends them back edited may leave it there, and no tool knows it.
  const args = sent.args && withoutCallId(sent.args)
  const command = { ...sent, ...(args && { args }) }
  // The directory may know of a question whose append is not yet folded here: what is under way comes first.
  const { open, decided } = session.state.approvals
  if (!ownProperty(open, id) && !ownProperty(decided, id)) await session.send({ type: 'tick' })
  const asked = ownProperty(session.state.approvals.open, id)
  const given = ownProperty(session.state.approvals.decided, id)
  if (asked?.kind === 'tool')
    return { ...command, digest: await callDigest(digest, asked.tool, args ?? asked.arguments) }
  // Our own questions stand for no call: there is nothing to bind, the second time as the first.
  if (!given?.requestedDigest) return command
  return { ...command, digest: args ? await callDigest(digest, given.tool, args) : given.requestedDigest }
}
