import {sourceFiles,stringsOf} from './test/support/source-texts.js'
const folders=process.argv.slice(2)
for(const folder of folders) for(const f of sourceFiles(folder)){
  let first=true
  for(const t of stringsOf(f)){ if(!/[a-z]+ [a-zA-Z`$-]+/.test(t.text)||/^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|\()/.test(t.text)||/ (FROM|WHERE) /.test(t.text)) continue
   if(first){console.log('# '+f);first=false}
   console.log(`${t.line}: ${t.text.replace(/\s+/g,' ').trim()}`)}
}
