import { forgetCredential, readCredential } from '../server/credential.ts'
import { useServer } from '../server/server-context.tsx'
import { Icon } from '../ui/icon.tsx'

export const UserRow = () => {
  const { setCredential } = useServer()
  if (readCredential().authToken === undefined) return null
  const signOut = (): void => {
    forgetCredential()
    setCredential({})
  }
  return (
    <button type="button" className="nav-button" onClick={signOut}>
      <Icon name="log-out" />
      <span>Sign out</span>
    </button>
  )
}
