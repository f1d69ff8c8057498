import type { FabricClient } from '@bridle/client/index'
import type { GivenAnswer } from '@bridle/events/answers'
import type { Json } from '@bridle/events/json'
import { present } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { type AnswerEntries, answerFrom, entryValue, readAnswerEntries } from '../approvals/answer-words.ts'
import { noApproval, openApproval } from '../approvals/missing-approval.ts'
import { defineCommand, sessionOptions, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient } from '../config/settings.ts'
import { isNotFound, withSession } from '../session-ids/session-prefix.ts'
import { cutApproval, requestOf } from '../terminal/answer-fields.ts'

export const answer = defineCommand({
  options: {
    answers: { type: 'string', value: 'FILE', help: 'the answers as a JSON object; - is standard input' },
    reason: { type: 'string', value: 'TEXT', help: 'the reason, for the log' },
    actor: { type: 'string', value: 'NAME', help: 'the person who answers' },
    ...sessionOptions,
  },
  notes: `An answer is the label of an option, or a text where the question takes one. Repeat a name for a question that takes several
answers. The values of a form are read by the types of its fields. Names on the command line win over those of --answers.
Decline a question with bridle reject.`,
  run: async ({ args: [session = '', approvalId = '', ...words], flags, env, out }) => {
    const { reason, actor, agent } = flags
    const entries = await readAnswerEntries(words, flags.answers, (word) => word)
    if (entries.size === 0)
      throw usageError(`Give an answer, such as ${commandName()} answer ${session} ${approvalId} db=SQLite.`)
    const fabric = await createClient(flags, env)
    const send = async (id: string) => {
      const given = await givenFor(fabric, id, approvalId, entries, flags)
      return { id, receipt: await fabric.answer(id, approvalId, { ...given, ...present({ reason, actor, agent }) }) }
    }
    const { id, receipt } = await withSession(fabric, session, agent, send).catch((error: unknown) => {
      throw isNotFound(error) ? noApproval(session, approvalId, flags) : error
    })
    if (out.isJson) out.row({ sessionId: id, ...receipt })
    else out.line(`Answered ${approvalId} of ${id}.`)
  },
})

/** Types the answers for the request. Invalid answers to an open question are not sent. */
const givenFor = async (
  fabric: FabricClient,
  id: string,
  approvalId: string,
  entries: AnswerEntries,
  flags: Parameters<typeof openApproval>[3],
): Promise<GivenAnswer> => {
  const open = await openApproval(fabric, id, approvalId, flags)
  const request = open === null ? await settledRequest(fabric, id, approvalId) : requestOf(open)
  if (open !== null && request === null && !cutApproval(open)?.isQuestion)
    throw usageError(
      `${approvalId} is not a question. Use ${commandName()} approve or ${commandName()} reject for ${open.toolName}.`,
    )
  // Let the server explain: no such approval, already answered, or an invalid answer.
  if (request === null) return { answers: untypedAnswers(entries) }
  const { given, problem } = answerFrom(request, entries)
  // Let the server report who settled the question.
  if (problem !== null && open !== null) throw usageError(`${problem} The question stays open.`)
  return given
}

/** The request of a recently answered question, because repeating the same answer succeeds. Null if not in the list. */
const settledRequest = async (
  fabric: FabricClient,
  id: string,
  approvalId: string,
): Promise<QuestionRequest | null> => {
  const { approvals } = await fabric.approvals({ status: 'decided' })
  const found = approvals.find((each) => each.sessionId === id && each.id === approvalId)
  return found ? requestOf(found) : null
}

const untypedAnswers = (entries: AnswerEntries): NonNullable<GivenAnswer['answers']> =>
  Object.fromEntries([...entries].map(([name, entry]) => [name, textsOf(entryValue(undefined, entry))]))

const textsOf = (value: Json): string | readonly string[] => (Array.isArray(value) ? value.map(textOf) : textOf(value))
const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
