// An approval is bound to the digest of the call that it approves, so that no other call is ever run. `Host.send` binds each
// approval that a caller sends. Arguments that a person edited are checked here too: the rule that decides can wait for no schema, and once the
// approval is used, only the model would learn of a misspelt field.

import { answeredArguments } from '@bridle/events/answers'
import { canonicalJson, type JsonObject, ownProperty } from '@bridle/events/json'
import type { ApproveCommand, Command } from '../commands.ts'
import { withoutCallId } from '../ids.ts'
import type { Digest } from '../ports/digest.ts'
import { type Approval, isRunnersQuestion, takesAnswers } from '../projections/approvals.ts'
import { defaultAnswer, givenAnswer } from '../question-request.ts'
import { isFixed } from '../rules/approvals/approvals.ts'
import { hasFiles, openTextQuestion, textAnswer } from '../rules/approvals/typed-answers.ts'
import type { Session } from '../session/session.ts'
import { editedAnswers } from '../user-input.ts'

/** The digest of a call: of the tool and its arguments, in canonical JSON. */
export const callDigest = (digest: Digest, tool: string, args: unknown): Promise<string> =>
  digest(canonicalJson({ tool, arguments: args }))

/** Adds the digest of the approved call to an approval, and to a prompt that answers a question; leaves any other command as it is. */
export const bindApproval = async <C extends Command>(session: Session, command: C, digest: Digest): Promise<C> => {
  if (command.type === 'approve' && command.decision === 'approved') return (await bind(session, command, digest)) as C
  if (command.type === 'submit' || command.type === 'steer') return (await bindAnswer(session, command, digest)) as C
  return command
}

const bindAnswer = async (session: Session, command: PromptCommand, digest: Digest): Promise<PromptCommand> => {
  const meaning = 'meaning' in command ? command.meaning : undefined
  const question = meaning
    ? ownProperty(session.state.approvals.open, meaning.approvalId)
    : openTextQuestion(session.state)
  const isAnswer = !('only' in command && command.only === 'join') && !('input' in command && hasFiles(command.input))
  if (!question || !isAnswer) return command
  const answers = meaning?.answers ?? textAnswer(question, command.prompt)
  const args = answeredArguments(question.arguments, { answers })
  const inputAnswer = { approvalId: question.id, answers, digest: await callDigest(digest, question.tool, args) }
  return { ...command, inputAnswer }
}

type PromptCommand = Command & { readonly type: 'submit' | 'steer' }

const bind = async (session: Session, sent: ApproveCommand, digest: Digest): Promise<ApproveCommand> => {
  const { approvalId: id } = sent
  // The log repeats the call's id among the arguments. A client that sends them back edited may leave it there; no tool takes it.
  const args = sent.args && withoutCallId(sent.args)
  const command = { ...sent, ...(args && { args }) }
  // The directory may list an approval whose append is not folded here yet: a tick waits for the commands before it.
  const { open, decided } = session.state.approvals
  if (!ownProperty(open, id) && !ownProperty(decided, id)) await session.send({ type: 'tick' })
  const approval = ownProperty(session.state.approvals.open, id)
  const earlier = ownProperty(session.state.approvals.decided, id)
  const asked = approval ?? earlier
  const answers = args && asked && takesAnswers(asked) ? editedAnswers(asked.tool, args) : null
  if (answers) {
    const { args: _, ...rest } = sent
    return bind(session, { ...rest, answers }, digest)
  }
  if (approval && takesAnswers(approval)) {
    const given = givenAnswer(sent) ?? defaultAnswer(approval) ?? {}
    return { ...command, digest: await callDigest(digest, approval.tool, answeredArguments(approval.arguments, given)) }
  }
  if (approval && isRunnersQuestion(approval)) {
    const approved = await callDigest(digest, approval.tool, args ?? approval.arguments)
    const isEdited = args !== undefined && approved !== approval.requestedDigest
    const argumentsProblem = isEdited ? await editProblem(session, approval, args) : null
    return { ...command, digest: approved, ...(argumentsProblem !== null && { argumentsProblem }) }
  }
  // Questions of the kernel itself stand for no call, so that there is nothing to bind, also when an answer is repeated.
  if (!earlier?.requestedDigest) return command
  return { ...command, digest: args ? await callDigest(digest, earlier.tool, args) : earlier.requestedDigest }
}

/** Arguments that cannot change are refused for that reason, whatever they are. */
const editProblem = async (session: Session, approval: Approval, args: JsonObject): Promise<string | null> =>
  isFixed(approval) ? null : session.checkArguments(approval, args)
