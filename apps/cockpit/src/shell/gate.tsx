// Shows the sign-in page where the server asks for a credential, and the pages otherwise.
import type { ReactNode } from 'react'
import { isRefusal } from '../server/follow-changes.ts'
import { useLive } from '../server/server-context.tsx'
import { SignInPage } from './sign-in-page.tsx'

export const Gate = ({ children }: { readonly children: ReactNode }) => {
  const error = useLive((state) => state.error)
  return isRefusal(error) ? <SignInPage refusal={error} /> : children
}
