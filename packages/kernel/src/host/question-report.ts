import { answeredArguments } from '@bridle/events/answers'
import type { QuestionRequest } from '@bridle/events/questions'
import type { ToolApprovalRequest } from '../commands.ts'
import type { Digest } from '../ports/digest.ts'
import { defaultAnswer, questionFields } from '../question-request.ts'
import { callDigest } from './approval-binding.ts'

/** `request` comes from `parseQuestions`. The asker receives `arguments` with `answers` or `values` added. */
export const questionReport = async (
  digest: Digest,
  call: Pick<ToolApprovalRequest, 'toolCallId' | 'tool' | 'arguments' | 'reason' | 'expiresMs'>,
  request: QuestionRequest,
): Promise<ToolApprovalRequest> => {
  const given = defaultAnswer(request)
  return {
    ...call,
    ...questionFields(request),
    type: 'ask',
    kind: 'question',
    digest: await callDigest(digest, call.tool, call.arguments),
    ...(given && { defaultDigest: await callDigest(digest, call.tool, answeredArguments(call.arguments, given)) }),
  }
}
