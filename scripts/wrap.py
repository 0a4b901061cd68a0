"""Wrap one-line docstrings and comments that became too long."""
import subprocess,sys,os,re,textwrap
os.chdir(sys.argv[1])
out=subprocess.run([".venv/bin/ruff","check","--select","E501","--output-format","concise"],capture_output=True,text=True).stdout
hits={}
for l in out.splitlines():
    m=re.match(r"(.*?):(\d+):\d+: E501",l)
    if m: hits.setdefault(m.group(1),set()).add(int(m.group(2)))
for f,ns in hits.items():
    L=open(f).read().split("\n")
    for n in sorted(ns,reverse=True):
        line=L[n-1]; ind=re.match(r"\s*",line).group(0); b=line.strip()
        m=re.fullmatch(r'"""(.*)"""',b)
        if m:
            t=m.group(1)
            cut=re.split(r"(?<=[.;:]) ",t)
            first=cut[0]; rest=" ".join(cut[1:])
            if first.endswith(";"): first=first[:-1]+"."; rest=rest[:1].upper()+rest[1:]
            if not rest: continue
            L[n-1:n]=[ind+'"""'+first,""]+textwrap.wrap(rest,99,initial_indent=ind,subsequent_indent=ind)+[ind+'"""']
        elif b.startswith("# ") or (not re.search(r"[=()\[\]{}]\s*$|return |raise ",b) and '"' not in b):
            pre=ind+("# " if b.startswith("# ") else "")
            text=b[2:] if b.startswith("# ") else b
            # join with following line of the same kind
            j=n
            while j<len(L) and L[j].startswith(ind) and L[j].strip() and (L[j].strip().startswith("# ")==b.startswith("# ")) and '"""' not in L[j] and re.match(r"\s*",L[j]).group(0)==ind:
                text+=" "+(L[j].strip()[2:] if b.startswith("# ") else L[j].strip()); j+=1
            L[n-1:j]=textwrap.wrap(text,99,initial_indent=pre,subsequent_indent=pre,break_long_words=False,break_on_hyphens=False)
    open(f,"w").write("\n".join(L))
