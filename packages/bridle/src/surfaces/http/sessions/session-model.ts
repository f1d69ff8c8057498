import type { AgentInfo } from '../../../kernel/agent-info.ts'
import { badRequest, type Denial } from '../router/denial.ts'

/** The refusal of a model that a caller chose for a session, and that its agent cannot or may not ask. */
export const modelDenial = ({ modelProblem }: Pick<AgentInfo, 'modelProblem'>, model: unknown): Denial | null => {
  const problem = typeof model === 'string' ? (modelProblem?.(model) ?? null) : null
  return problem === null ? null : badRequest(`body: model: ${problem}`)
}
