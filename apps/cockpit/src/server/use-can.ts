import type { CallerIdentity } from 'bridle/client'
import { useLive } from './server-context.tsx'

/** Whether the server lets this person act so. Until it has said who this is, the page does not forbid anything. */
export const useCan = (scope: CallerIdentity['scopes'][number]): boolean =>
  useLive(({ me }) => me === null || me.scopes.includes(scope))

export const CANNOT_OPERATE = 'Your credential may watch, not operate.'
