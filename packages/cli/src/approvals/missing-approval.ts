import type { FabricClient, SessionDetail } from '@bridle/client/index'
import { type ExitError, failure, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { type ClientFlags, repeatedFlags } from '../config/settings.ts'
import { answerCommand, childCommand } from '../terminal/answer-command.ts'
import { cutApproval, requestOf } from '../terminal/answer-fields.ts'
import { wholeApproval } from './child-approval.ts'

type SessionApproval = SessionDetail['approvals'][number]

export type ApprovalFlags = ClientFlags & { readonly agent?: string }

export const openApproval = async (
  fabric: FabricClient,
  id: string,
  approvalId: string,
  { agent }: ApprovalFlags,
): Promise<SessionApproval | null> => {
  const found = (await fabric.session(id, agent)).approvals.find((each) => each.id === approvalId)
  return found ? wholeApproval(fabric, found) : null
}

export const noApproval = (session: string, approvalId: string, flags: ApprovalFlags): ExitError => {
  const which = flags.agent === undefined ? session : `The session ${session} of the agent ${flags.agent}`
  const next = `${commandName()} approvals${repeatedFlags(flags)}`
  return failure(`${which} has no approval ${approvalId}. Those that wait: ${next}`)
}

export const questionError = (id: string, approval: SessionApproval, flags: ApprovalFlags): ExitError | null => {
  const request = requestOf(approval)
  const cut = cutApproval(approval)
  if (request === null && !cut?.isQuestion) return null
  const place = { command: commandName(), id, approvalId: approval.id, nextFlags: nextFlags(flags) }
  const command = request === null ? cut && childCommand(place, cut) : answerCommand(place, request)
  return usageError(`${approval.id} is a question. Answer it with\n  ${command}`)
}

export const cutError = (approval: SessionApproval, flags: ApprovalFlags): ExitError | null => {
  const cut = cutApproval(approval)
  if (cut === null) return null
  const command = childCommand({ command: commandName(), nextFlags: nextFlags(flags) }, cut)
  return failure(`${approval.id} is too long to edit here. Edit it in the session that asks:\n  ${command} --edit`)
}

const nextFlags = (flags: ApprovalFlags): string =>
  (flags.agent === undefined ? '' : ` --agent ${flags.agent}`) + repeatedFlags(flags)
