// The frame around every page: side bar on wide screens, tab bar on phones, notes, and the sentence for screen readers.
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { ConfirmationHost } from '../imported/confirmation-host.tsx'
import { useFavicon } from '../inbox/use-favicon.ts'
import { useNotifications } from '../inbox/use-notifications.ts'
import { Toasts } from '../ui/toast.tsx'
import { LiveRegion } from './live-region.tsx'
import { LostBanner } from './lost-banner.tsx'
import { Overlays } from './overlays.tsx'
import { PageFault } from './page-fault.tsx'
import { SideBar } from './side-bar.tsx'
import { TabBar } from './tab-bar.tsx'
import { useDocumentTitle } from './use-document-title.ts'
import { useShortcuts } from './use-shortcuts.ts'
import './shell.css'

export const Shell = ({ children }: { readonly children: ReactNode }) => {
  useDocumentTitle()
  useFavicon()
  useNotifications()
  useShortcuts()
  const [path] = useLocation()
  return (
    <div className="app">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <SideBar />
      <main className="main" id="main" tabIndex={-1}>
        <LostBanner />
        <Toasts />
        <PageFault path={path}>{children}</PageFault>
      </main>
      <TabBar />
      <Overlays />
      <ConfirmationHost />
      <LiveRegion />
    </div>
  )
}
