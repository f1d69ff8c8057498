// A server with a token asks for it here. The token stays in this tab unless its user wants it kept.
import type { FabricError } from 'bridle/client'
import { type FormEvent, useState } from 'react'
import { changeCredential, readCredential } from '../server/credential.ts'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Screen } from '../ui/screen.tsx'

const problemText = ({ status, message }: FabricError, tenantId: string | undefined): string => {
  if (status === 401) return 'This token is not valid here.'
  return tenantId === undefined ? visibleText(message) : `Tenant “${visibleText(tenantId)}”: ${visibleText(message)}`
}

export const SignInPage = ({ refusal }: { readonly refusal: FabricError }) => {
  const { authToken: token, tenantId } = readCredential()
  const hadToken = token !== undefined
  // A server that knows the token and still refuses means the tenant.
  const isTokenBad = hadToken && refusal.status === 401
  const isTenantBad = hadToken && refusal.status !== 401
  const [isRemembered, setRemembered] = useState(false)
  const signIn = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const authToken = String(fields.get('token') ?? '').trim()
    const tenantId = String(fields.get('tenant') ?? '').trim()
    if (authToken === '') return
    changeCredential({ authToken, ...(tenantId !== '' && { tenantId }) }, { isRemembered })
  }
  return (
    <main className="sign-in">
      <Screen icon="key-round" title="Sign in to Bridle" isPage>
        <p>
          This server asks for a token. A server that was started with <code>--token</code> keeps it in the file{' '}
          <code>token</code> of its data folder (<code>.bridle/token</code> by default); else ask whoever runs the
          server.
        </p>
        <form className="col sign-in-form" onSubmit={signIn}>
          <label className="col">
            <span className="small t2">Token</span>
            <span className={`field${isTokenBad ? ' bad' : ''}`}>
              <input
                name="token"
                type="password"
                autoComplete="current-password"
                // biome-ignore lint/a11y/noAutofocus: the page has this field alone to fill
                autoFocus
                required
                aria-invalid={isTokenBad}
                aria-describedby="sign-in-problem"
              />
            </span>
          </label>
          <label className="col">
            <span className="small t2">Tenant, where the server has several</span>
            <span className={`field${isTenantBad ? ' bad' : ''}`}>
              <input
                name="tenant"
                autoComplete="off"
                defaultValue={tenantId}
                aria-invalid={isTenantBad}
                aria-describedby="sign-in-problem"
              />
            </span>
          </label>
          <label className="row">
            <input type="checkbox" checked={isRemembered} onChange={(event) => setRemembered(event.target.checked)} />
            Keep me signed in on this device
          </label>
          {hadToken && (
            <p id="sign-in-problem" className="danger" role="alert">
              {problemText(refusal, tenantId)}
            </p>
          )}
          <Button type="submit" look="primary" isLarge>
            Sign in
          </Button>
        </form>
      </Screen>
    </main>
  )
}
