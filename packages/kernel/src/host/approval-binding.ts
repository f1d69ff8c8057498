// An approval is bound to the digest of the call that it approves, so that no other call can run under it.
// Edited arguments are checked here because the rule that decides is synchronous and cannot load a schema.

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

export const callDigest = (digest: Digest, tool: string, args: unknown): Promise<string> =>
  digest(canonicalJson({ tool, arguments: args }))

/** Adds digests to approvals and to prompts that answer a question. */
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
  // The log stores the call id among the arguments; clients may send it back, but tools do not accept it.
  const args = sent.args && withoutCallId(sent.args)
  const command = { ...sent, ...(args && { args }) }
  // The directory may list an approval before this session has folded it. A tick waits for the commands ahead of it.
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
  // Questions of the kernel have no call to bind.
  if (!earlier?.requestedDigest) return command
  return { ...command, digest: args ? await callDigest(digest, earlier.tool, args) : earlier.requestedDigest }
}

/** `decide` refuses edits of fixed arguments with its own reason. */
const editProblem = async (session: Session, approval: Approval, args: JsonObject): Promise<string | null> =>
  isFixed(approval) ? null : session.checkArguments(approval, args)
