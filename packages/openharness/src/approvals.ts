import type { ActionDirective } from '@bridle/wire/openharness/wire'
import type { DirectiveContext } from './handlers.ts'

/** Asks the user to approve a directive. Only `true` approves: any other result, an error, or a missed deadline denies. */
export type Approver = (directive: ActionDirective, context: DirectiveContext) => boolean | Promise<boolean>

/** The lowest risk tier that requires approval even if the directive does not. */
export type ApprovalThreshold = 'caution' | 'dangerous' | 'never'

export const needsApproval = (directive: ActionDirective, threshold: ApprovalThreshold): boolean => {
  if (directive.requires_user_approval === true) return true
  // Neither affects the device. A question's risk tier describes the call it asks about.
  if (directive.action_type === 'request_approval' || directive.action_type === 'noop') return false
  return TIERS[directive.risk_tier ?? 'safe'] >= TIERS[threshold]
}

const TIERS: Readonly<Record<'safe' | ApprovalThreshold, number>> = { safe: 0, caution: 1, dangerous: 2, never: 3 }
