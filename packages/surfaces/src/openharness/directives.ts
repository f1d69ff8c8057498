import type { JsonObject } from '@bridle/events/json'
import type { Key } from '@bridle/kernel/event'
import type { Approval } from '@bridle/kernel/projections/approvals'
import type { ActionDirective, RequestMessage } from '@bridle/wire/openharness/wire'
import type { AppPorts } from '../app.ts'
import { hasCapability } from './codec.ts'
import { type ContinuationClaim, sealContinuation } from './continuation.ts'
import { adviceOf, offeredAnswers, questionPayload } from './questions.ts'
import { shapeQuestion, shapeText } from './shell.ts'

export const messageDirectives = (text: string): readonly ActionDirective[] =>
  text === '' ? [] : [{ action_type: 'render_message', priority: 'normal', risk_tier: 'safe', payload: { text } }]

/** Adapts directives to the shell's capabilities. `typed`: the question that the user's next message answers. */
export const shapeDirectives = (
  directives: readonly ActionDirective[],
  { capabilities, request }: RequestMessage,
  typed: ActionDirective | null = null,
): readonly ActionDirective[] => {
  const kind = request.context?.shell?.shell_kind
  const isParallel = hasCapability(capabilities, 'openharness.actions.parallel')
  const canAsk = hasCapability(capabilities, 'openharness.ui.approval')
  const hasCards = hasCapability(capabilities, 'openharness.ui.rich_cards')
  return directives
    .flatMap((directive) => (hasCards || directive.action_type !== 'render_ui' ? [directive] : cardText(directive)))
    .map((directive) => {
      const shaped = shapeMessage(isParallel ? directive : inSequence(directive), kind)
      return canAsk ? shaped : withAdvice(shaped, directive === typed)
    })
}

/** A shell without `request_approval` shows this text instead, so that its user learns why the run waits. */
const withAdvice = (directive: ActionDirective, isTyped: boolean): ActionDirective => {
  const { action_type: type, payload = {} } = directive
  if (type !== 'request_approval' || typeof payload.message !== 'string') return directive
  return { ...directive, payload: { ...payload, fallback_message: adviceOf(payload, isTyped) } }
}

/** Text fallback for shells without cards. Empty if the card brings no text. */
const cardText = ({ payload = {}, ...directive }: ActionDirective): readonly ActionDirective[] => {
  const text = [payload.fallback_message, payload.message].find((each) => typeof each === 'string' && each !== '')
  return typeof text === 'string' ? [{ ...directive, action_type: 'render_message', payload: { text } }] : []
}

const inSequence = (directive: ActionDirective): ActionDirective =>
  directive.execution === 'parallel' ? { ...directive, execution: 'sequential' } : directive

const shapeMessage = (directive: ActionDirective, kind: string | undefined): ActionDirective => {
  const { action_type: type, payload = {} } = directive
  if (type === 'render_message' && typeof payload.text === 'string')
    return { ...directive, payload: { ...payload, text: shapeText(payload.text, kind) } }
  if (type === 'request_approval' && typeof payload.message === 'string')
    return { ...directive, payload: { ...payload, message: shapeQuestion(payload.message, kind) } }
  return directive
}

/** Carries a token per answer. */
export const approvalDirective = async (
  ports: Pick<AppPorts, 'signingSecret' | 'clock'>,
  key: Key,
  runId: string,
  approval: Approval,
): Promise<ActionDirective> => {
  const token = (claim: Pick<ContinuationClaim, 'option' | 'choice'>) =>
    sealContinuation(ports, { key, runId, approvalId: approval.id, ...claim })
  // Repeating a call that may already have happened is dangerous.
  const risk = approval.kind === 'unknown_outcome' ? 'dangerous' : RISK_TIERS[approval.risk ?? 'medium']
  const { expiresAt } = approval
  const options = offeredAnswers(approval).map(async ({ id, label, ...claim }) => ({
    ...{ id, label, continuation_token: await token(claim) },
  }))
  const payload: JsonObject = {
    ...questionPayload(approval),
    arguments: approval.arguments,
    risk,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    run_id: runId,
    continuation_token: await token({ option: 'status' }),
    options: await Promise.all(options),
  }
  return {
    action_type: 'request_approval',
    priority: 'high',
    risk_tier: risk,
    ...(expiresAt !== null && { deadline_ms: Math.max(0, Math.floor(expiresAt - ports.clock.now())) }),
    payload,
  }
}

const RISK_TIERS = { low: 'safe', medium: 'caution', high: 'dangerous' } as const
