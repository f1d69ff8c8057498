// Questions of Codex, which it asks with its tool `request_user_input`, and of its MCP servers.

import type { QuestionAnswers } from '@bridle/events/answers'
import type { ElicitationResult } from '@bridle/events/elicitation'
import { canonicalJson, type JsonObject, objectOf, ownProperty, present } from '@bridle/events/json'
import { parseQuestions, type Question, type QuestionRequest, type RequestProblem } from '@bridle/events/questions'
import type { TurnReporter } from '../engine.ts'
import { answerElicitation, askQuestion, NO_ANSWER } from '../questions.ts'
import { listOf, textIn } from './events/lenient-json.ts'
import type { CodexTurnState, OpenCall } from './events/turn-state.ts'

const TOOL = 'request_user_input'

/** Codex makes no item for this call, so it is reported here. */
export const answerUserInput = async (
  params: JsonObject,
  seen: CodexTurnState,
  turn: TurnReporter,
): Promise<JsonObject> => {
  const toolUseId = textIn(params, 'itemId') ?? ''
  const asked = listOf(params.questions).map(objectOf)
  const input = { questions: asked }
  seen.announcedCalls.add(toolUseId)
  seen.openCalls.set(toolUseId, { name: TOOL, input, background: false })
  seen.isParted = true
  turn.report({ type: 'tool.started', toolName: TOOL, toolUseId, input, effect: 'pure' })
  const request = userInputRequest(asked)
  const questions: readonly Question[] = 'problem' in request ? [] : (request.questions ?? [])
  const reason = questions.map(({ question }) => question).join(' ')
  const verdict = await askQuestion(turn, { toolUseId, toolName: TOOL, input, reason }, request)
  const answers = verdict.decision === 'approved' ? verdict.given?.answers : undefined
  const refusal = verdict.decision === 'denied' ? verdict.reason : NO_ANSWER
  // An interrupted turn has closed the call.
  if (seen.openCalls.delete(toolUseId)) {
    const outcome = answers
      ? { status: 'ok' as const, result: { answers } }
      : { status: 'denied' as const, reason: refusal }
    turn.report({ type: 'tool.completed', toolUseId, toolName: TOOL, outcome })
  }
  // Codex has no word for a refusal, and takes an error for an empty answer: the model reads it in place of each answer.
  const texts = asked.map(({ id }, index): [string, JsonObject] => {
    const question = questions[index]
    return [String(id), { answers: question && answers ? answerTexts(question, answers) : [refusal] }]
  })
  return { answers: Object.fromEntries(texts) }
}

/** The ids of the model, where they can be ids of ours. */
const userInputRequest = (asked: readonly JsonObject[]): QuestionRequest | RequestProblem => {
  if (asked.some(({ isSecret }) => isSecret))
    return { problem: 'Secrets cannot be asked for: an answer stays in the log.' }
  const questions = asked.map(userQuestion)
  const request = parseQuestions({ questions })
  return 'problem' in request ? parseQuestions({ questions: questions.map(({ id: _id, ...rest }) => rest) }) : request
}

const userQuestion = ({ id, header, question, isOther, options }: JsonObject) => {
  const offered = listOf(options ?? undefined).map(objectOf)
  return {
    ...present({ id, header, question }),
    options: offered.map(({ label, description }) => present({ label, description })),
    allow_free_text: isOther === true || offered.length === 0,
  }
}

/** A text of the person's own is a note, as in Codex's own form. */
const answerTexts = ({ id, options = [] }: Question, answers: QuestionAnswers): string[] =>
  [ownProperty(answers, id) ?? []]
    .flat()
    .map((text) => (options.some(({ label }) => label === text) ? text : `user_note: ${text}`))

export const answerCodexElicitation = async (params: JsonObject, turn: TurnReporter): Promise<JsonObject> => {
  const mode = textIn(params, 'mode') ?? 'form'
  const asked = {
    server: textIn(params, 'serverName') ?? '',
    message: textIn(params, 'message') ?? '',
    mode: FORMS.has(mode) ? 'form' : mode,
    ...present({ requestedSchema: params.requestedSchema, url: params.url }),
  }
  return elicitationAnswer(await answerElicitation(turn, asked))
}

export const elicitationAnswer = (result: ElicitationResult): JsonObject => ({
  action: result.action,
  content: result.action === 'accept' ? (result.content ?? null) : null,
  _meta: null,
})

/** The names of forms in Codex. */
const FORMS = new Set(['openai/form', 'openaiForm'])

/** Codex asks with an empty form before it calls a tool of an MCP server. The request does not name the call; null: it is none of these. */
export const approvalOfMcpCall = (
  { serverName, _meta }: JsonObject,
  { openCalls, approvalIds }: CodexTurnState,
): { readonly toolUseId: string; readonly toolName: string; readonly input: JsonObject } | null => {
  const { codex_approval_kind: kind, tool_params: params } = objectOf(_meta)
  if (kind !== 'mcp_tool_call') return null
  const input = objectOf(params)
  const isMeant = ([id, call]: readonly [string, OpenCall]) =>
    call.name.startsWith(`mcp__${serverName}__`) &&
    canonicalJson(call.input) === canonicalJson(input) &&
    !approvalIds.has(id)
  const [id, call] = [...openCalls].find(isMeant) ?? []
  return id !== undefined && call ? { toolUseId: id, toolName: call.name, input } : null
}
