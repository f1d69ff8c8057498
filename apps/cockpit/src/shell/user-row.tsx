// The person who is signed in, the tenant, and the way out.
import { useLive } from '../server/server-context.tsx'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { chooseTenant, signOut } from './use-shortcuts.ts'

export const UserRow = () => {
  const me = useLive((state) => state.me)
  if (!me) return null
  return (
    <>
      {me.tenants.length > 1 && (
        <label className="nav-button">
          <Icon name="chevrons-up-down" />
          <span className="vh">Tenant</span>
          <select value={me.tenant} onChange={(event) => chooseTenant(event.target.value)}>
            {me.tenants.map((tenant) => (
              <option key={tenant} value={tenant}>
                {visibleText(tenant)}
              </option>
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
  const [canOperate, canApprove] = [scopes.includes('operate'), scopes.includes('approve')]
  if (canOperate && canApprove) return 'can do everything'
  if (canApprove) return 'can approve'
  return canOperate ? 'can operate' : 'can watch'
}
