import type {ServiceResponse} from '#lib/service/http/message.js'
import {oauthErrors} from '#lib/service/oauth/endpoints/oautherrors.js'
import {html} from './html.js'
import {page} from './layout.js'

/** What each error of the authorization endpoints means; `error_uri` of their answers points here. */
export function errorsPage(): ServiceResponse {
  const entries = Object.entries(oauthErrors).map(
    ([code, description]) =>
      html`<dt id="${code}">${code}</dt>
        <dd>${description}</dd>`,
  )
  return page({title: 'Errors of the sign-in', body: html`<dl>${entries}</dl>`})
}
