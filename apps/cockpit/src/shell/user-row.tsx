// The person who is signed in, the tenant, and the way out.
import { forgetCredential, keepCredential, readCredential } from '../server/credential.ts'
import { useLive, useServer } from '../server/server-context.tsx'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'

export const UserRow = () => {
  const { setCredential } = useServer()
  const me = useLive((state) => state.me)
  if (!me) return null
  const chooseTenant = (tenantId: string): void => {
    const credential = { ...readCredential(), tenantId }
    keepCredential(credential)
    setCredential(credential)
  }
  const signOut = (): void => {
    forgetCredential()
    setCredential({})
  }
  return (
    <>
      {me.tenants.length > 1 && (
        <label className="nav-button">
          <Icon name="chevrons-up-down" />
          <span className="vh">Tenant</span>
          <select value={me.tenant} onChange={(event) => chooseTenant(event.target.value)}>
            {me.tenants.map((tenant) => (
              <option key={tenant}>{tenant}</option>
            ))}
          </select>
        </label>
      )}
      <span className="nav-button">
        <Icon name="circle-user" />
        <span className="trunc">{visibleText(me.user ?? (me.isOpen ? 'Local' : 'Token'))}</span>
        <span className="right small t3 nowrap">{powerOf(me.scopes)}</span>
      </span>
      {!me.isOpen && (
        <button type="button" className="nav-button" onClick={signOut}>
          <Icon name="log-out" />
          <span>Sign out</span>
        </button>
      )}
    </>
  )
}

const powerOf = (scopes: readonly string[]): string => {
  if (scopes.includes('approve')) return 'can approve'
  return scopes.includes('operate') ? 'can operate' : 'can watch'
}
