// The actions that work on every page, and the keys of all actions.
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { offerActions } from '../actions/action-store.ts'
import { useAction, useActionList } from '../actions/use-action.ts'
import { useActionKeys } from '../actions/use-action-keys.ts'
import { basePath } from '../server/address.ts'
import { changeCredential, readCredential } from '../server/credential.ts'
import { useLive } from '../server/server-context.tsx'
import { copyText } from '../ui/copy-text.ts'
import { useLastSession } from './last-session.ts'
import { IMPORT_PATH, pageLinks, REPLAY_PATH, ROUTES_PATH } from './pages.ts'
import { DEBUG_VIEW, sessionPath } from './paths.ts'
import { applyTheme } from './theme.ts'

export { isTyping } from '../actions/key-text.ts'

const NO_TENANTS: readonly string[] = []

export const useShortcuts = (): void => {
  useActionKeys()
  const [, navigate] = useLocation()
  const last = useLastSession()
  const me = useLive((state) => state.me)
  useEffect(() => {
    const taken = pageLinks.map(({ path, action }) => offerActions(action, [{ run: () => navigate(path) }]))
    return () => {
      for (const takeBack of taken) takeBack()
    }
  }, [navigate])
  useAction('page.routes', () => navigate(ROUTES_PATH))
  useAction('page.debug', last && (() => navigate(sessionPath(last, { view: DEBUG_VIEW }))))
  useAction('page.import', () => navigate(IMPORT_PATH))
  useAction('page.replay', () => navigate(REPLAY_PATH))
  useAction('theme.system', () => applyTheme('system'))
  useAction('theme.light', () => applyTheme('light'))
  useAction('theme.dark', () => applyTheme('dark'))
  useAction('user.sign_out', me && !me.isOpen ? signOut : null)
  const tenants = (me?.tenants ?? NO_TENANTS).filter((tenant) => tenant !== me?.tenant)
  useActionList(
    'tenant.choose',
    tenants.map((tenant) => ({ detail: tenant, run: () => chooseTenant(tenant) })),
  )
  useAction('copy.link', () => copyText(location.href, 'The link is copied.'))
}

/** Another tenant has other sessions, and the address may name one of this tenant. */
export const chooseTenant = (tenantId: string): void =>
  changeCredential({ ...readCredential(), tenantId }, { path: basePath })

export const signOut = (): void => changeCredential(null, { path: basePath })
