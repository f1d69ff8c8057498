// A server with a token asks for it here. The token stays in this tab unless its user wants it kept.
import { type FormEvent, useState } from 'react'
import { changeCredential, readCredential } from '../server/credential.ts'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Screen } from '../ui/screen.tsx'

export const SignInPage = ({ problem }: { readonly problem: string }) => {
  const hadToken = readCredential().authToken !== undefined
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
          <code>.bridle/token</code>.
        </p>
        <form className="col sign-in-form" onSubmit={signIn}>
          <label className="col">
            <span className="small t2">Token</span>
            <span className={`field${hadToken ? ' bad' : ''}`}>
              <input
                name="token"
                type="password"
                autoComplete="current-password"
                required
                aria-invalid={hadToken}
                aria-describedby="sign-in-problem"
              />
            </span>
          </label>
          <label className="col">
            <span className="small t2">Tenant, where the server has several</span>
            <span className="field">
              <input name="tenant" autoComplete="off" />
            </span>
          </label>
          <label className="row">
            <input type="checkbox" checked={isRemembered} onChange={(event) => setRemembered(event.target.checked)} />
            Keep me signed in on this device
          </label>
          {hadToken && (
            <p id="sign-in-problem" className="danger" role="alert">
              {visibleText(problem)}
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
