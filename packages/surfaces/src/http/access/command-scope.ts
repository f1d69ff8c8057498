// The scope that a command on a socket needs, the same on every wire.
import type { Scope } from './authenticate.ts'

/** Why the credential may not send the command; null = it may. */
export const scopeRefusal = (
  { type, pause = false }: { readonly type: string; readonly pause?: boolean | undefined },
  granted: readonly Scope[],
): string | null => {
  const operate: readonly Scope[] = ['operate']
  // An answer that also pauses is an answer and an act.
  const needed = type === 'approve' ? (['approve', ...(pause ? operate : [])] as const) : operate
  const missing = needed.find((scope) => !granted.includes(scope))
  return missing === undefined ? null : `This needs the scope "${missing}".`
}
