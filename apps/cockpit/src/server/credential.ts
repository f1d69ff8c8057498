// The token and the tenant of this browser. A token stays in the tab unless its user asks to be remembered.
export interface Credential {
  readonly authToken?: string
  readonly tenantId?: string
}

const KEY = 'bridle.credential'

export const readCredential = (): Credential => {
  const text = sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY)
  if (text === null) return {}
  try {
    const { authToken, tenantId } = JSON.parse(text) as Record<string, unknown>
    return {
      ...(typeof authToken === 'string' && { authToken }),
      ...(typeof tenantId === 'string' && { tenantId }),
    }
  } catch {
    return {}
  }
}

/**
 * Uses another credential: after sign-in, sign-out, and a change of tenant. The page begins anew, so that nothing that the former one
 * showed is left anywhere: lists, drafts, notes, answers on their way. `path` is the page to open; absent = the same one.
 */
export const changeCredential = (
  credential: Credential | null,
  { isRemembered, path }: { readonly isRemembered?: boolean; readonly path?: string } = {},
): void => {
  if (credential) keepCredential(credential, isRemembered)
  else forgetCredential()
  if (path === undefined) location.reload()
  else location.assign(path)
}

const keepCredential = (credential: Credential, isRemembered = localStorage.getItem(KEY) !== null): void => {
  forgetCredential()
  const store = isRemembered ? localStorage : sessionStorage
  store.setItem(KEY, JSON.stringify(credential))
}

const forgetCredential = (): void => {
  sessionStorage.removeItem(KEY)
  localStorage.removeItem(KEY)
}
