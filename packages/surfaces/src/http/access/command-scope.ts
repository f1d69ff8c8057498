import type { Scope } from './authenticate.ts'

export const scopeRefusal = (
  { type, pause = false }: { readonly type: string; readonly pause?: boolean | undefined },
  granted: readonly Scope[],
): string | null => {
  const operate: readonly Scope[] = ['operate']
  // Pausing needs `operate` in addition.
  const needed = type === 'approve' ? (['approve', ...(pause ? operate : [])] as const) : operate
  const missing = needed.find((scope) => !granted.includes(scope))
  return missing === undefined ? null : `This needs the scope "${missing}".`
}
