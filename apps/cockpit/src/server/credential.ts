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

export const keepCredential = (credential: Credential, isRemembered = localStorage.getItem(KEY) !== null): void => {
  forgetCredential()
  const store = isRemembered ? localStorage : sessionStorage
  store.setItem(KEY, JSON.stringify(credential))
}

export const forgetCredential = (): void => {
  sessionStorage.removeItem(KEY)
  localStorage.removeItem(KEY)
}
