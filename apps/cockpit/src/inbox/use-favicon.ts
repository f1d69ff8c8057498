// The icon of the tab has a dot while an approval waits. Both icons are files: the content security policy allows no drawn ones.
import { useEffect } from 'react'
import { useLive } from '../server/server-context.tsx'

export const useFavicon = (): void => {
  const isWaiting = useLive((state) => state.approvals.length > 0)
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (!link) return
    const name = isWaiting ? 'favicon-waiting.svg' : 'favicon.svg'
    link.href = link.href.replace(/favicon(-waiting)?\.svg$/, name)
  }, [isWaiting])
}
