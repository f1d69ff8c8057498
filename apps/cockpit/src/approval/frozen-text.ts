import { useLive } from '../server/server-context.tsx'

/** The reason why nothing can be decided here now; null = it can. */
export const useFrozenText = (): string | null => {
  const isLive = useLive((state) => state.phase === 'open')
  const canApprove = useLive(({ me }) => me === null || me.scopes.includes('approve'))
  if (!canApprove) return 'You may watch, but not answer: your token has no scope "approve".'
  return isLive ? null : 'The server does not answer, so this may be old. Nothing can be decided until it is back.'
}
