// Shows the sign-in page where the server asks for a credential, and the pages otherwise.
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { isRefusal } from '../server/follow-changes.ts'
import { useLive } from '../server/server-context.tsx'
import { REPLAY_PATH } from './pages.ts'
import { SignInPage } from './sign-in-page.tsx'

export const Gate = ({ children }: { readonly children: ReactNode }) => {
  const error = useLive((state) => state.error)
  const [path] = useLocation()
  // A file is read without the server: whoever has it may look at it.
  return isRefusal(error) && path !== REPLAY_PATH ? <SignInPage refusal={error} /> : children
}
