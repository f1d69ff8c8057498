// The requests of Codex for approval, and the answers in the words of its protocol.
import { canonicalJson, type JsonObject } from '@bridle/events/json'
import type { EngineApprovalDecision, EngineApprovalRequest, TurnReporter } from '../engine.ts'
import type { RpcRequest } from './app-server.ts'
import { textIn } from './events/lenient-json.ts'
import type { CodexTurnState } from './events/turn-state.ts'
import { answerCodexElicitation, answerUserInput, approvalOfMcpCall, elicitationAnswer } from './user-questions.ts'

/** Null: a request that no person can answer. */
export const answerServerRequest = async (
  { method, params }: RpcRequest,
  seen: CodexTurnState,
  turn: TurnReporter,
): Promise<JsonObject | null> => {
  const toolUseId = textIn(params, 'itemId') ?? ''
  const call = seen.openCalls.get(toolUseId)
  const decide = (toolName: string, input: JsonObject) => {
    const reason = textIn(params, 'reason') ?? REASONS[toolName] ?? 'Codex asks before it does this.'
    return decideCall({ toolUseId, toolName, input, reason, fixed: true }, seen, turn)
  }
  switch (method) {
    case 'item/commandExecution/requestApproval': {
      const command = { command: params.command ?? call?.input.command ?? '', cwd: params.cwd ?? null }
      const more = presentFields(params, 'networkApprovalContext', 'additionalPermissions')
      return { decision: await decide(call?.name ?? 'shell', { ...command, ...more }) }
    }
    case 'item/fileChange/requestApproval': {
      const input = { changes: call?.input.changes ?? [], ...presentFields(params, 'grantRoot') }
      return { decision: await decide(call?.name ?? 'apply_patch', input) }
    }
    case 'item/permissions/requestApproval': {
      const { permissions = {}, cwd = null } = params
      const granted = (await decide('request_permissions', { permissions, cwd })) === 'accept'
      return { permissions: granted ? permissions : {}, scope: 'turn' }
    }
    case 'item/tool/requestUserInput':
      return answerUserInput(params, seen, turn)
    case 'mcpServer/elicitation/request': {
      const asked = approvalOfMcpCall(params, seen)
      if (!asked) return answerCodexElicitation(params, turn)
      const reason = textIn(params, 'message') ?? 'Codex asks before it calls a tool of an MCP server.'
      const action = await decideCall({ ...asked, reason, fixed: true }, seen, turn)
      return elicitationAnswer(action === 'accept' ? { action, content: {} } : { action })
    }
    default:
      return null
  }
}

const REASONS: Record<string, string> = {
  shell: 'Codex asks before it runs a command.',
  apply_patch: 'Codex asks before it changes files.',
}

/** The session refuses an edit of such a call; a caller of the runner without a session may still make one. */
const EDITED_INPUT_REASON = 'The approval changed the input. Codex runs only what it asked for, so it was declined.'

const decideCall = async (
  question: EngineApprovalRequest,
  seen: CodexTurnState,
  turn: TurnReporter,
): Promise<'accept' | 'decline'> => {
  const verdict = await requestSeparateApproval(question, seen, turn)
  if (verdict.decision === 'approved' && canonicalJson(verdict.input) === canonicalJson(question.input)) return 'accept'
  seen.denials.set(question.toolUseId, verdict.decision === 'denied' ? verdict.reason : EDITED_INPUT_REASON)
  return 'decline'
}

/** Codex may request approval of a call twice, inside the sandbox and outside of it. Each request has another id. */
const requestSeparateApproval = (
  question: EngineApprovalRequest,
  { approvalIds }: CodexTurnState,
  turn: TurnReporter,
): Promise<EngineApprovalDecision> => {
  const { toolUseId: id } = question
  const before = [...approvalIds].filter((each) => each === id || each.startsWith(`${id}:`)).length
  const toolUseId = before === 0 ? id : `${id}:${before + 1}`
  approvalIds.add(toolUseId)
  return turn.requestApproval({ ...question, toolUseId })
}

const presentFields = (params: JsonObject, ...names: string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (params[name] == null ? [] : [[name, params[name]]])))
